import { expect } from 'chai';
import {
  foldLetters,
  isForeign,
  isFunctionWord,
  shorten,
  tellingTerms,
} from '../../../../services/api/search/functionWords.js';
import { parseQuery } from '../../../../services/api/search/parseQuery.js';

const tellingIn = (q: string) => tellingTerms(parseQuery(q).terms).map(({ text }) => text);

describe('functionWords', () => {
  it('keeps the words that tell a subject, in every known language', () => {
    expect(tellingIn("What's the range of a T1000-E, and why doesn't it boot?")).to.deep.equal([
      'range',
      'T1000-E',
      'boot',
    ]);
    expect(tellingIn('wie kann ich die Firmware flashen')).to.deep.equal(['Firmware', 'flashen']);
    expect(tellingIn('où est la carte')).to.deep.equal(['carte']);
    expect(tellingIn('как обновить прошивку')).to.deep.equal(['обновить', 'прошивку']);
  });

  it('knows every function word, with marks and letters of its language', () => {
    const words = ['Какой мой твой', 'ещё её', 'była był są', 'muß für', 'où très', 'não já'];
    for (const word of words.join(' ').split(' ')) {
      expect(isFunctionWord(word), word).to.equal(word !== 'твой');
    }
  });

  it('takes letters for the same only where the index does', () => {
    const groups = [
      ['Ångström', 'angstrom'],
      ['Straße', 'strasse'],
      ['ﬁne', 'FINE'],
      ['ＦＵＬＬ', 'full'],
      ['мой'],
      ['мои'],
      ['ガラス', 'ｶﾞﾗｽ'],
      ['カラス'],
      ['कल'],
      ['काल'],
      ['שָׁלוֹם', 'שלום'],
      ['👍', '👍🏽'],
      ['C++'],
      ['C#'],
      ['C'],
    ];
    for (const group of groups) {
      expect(new Set(group.map(foldLetters)), String(group)).to.have.property('size', 1);
    }
    const folded = groups.map(([word = '']) => foldLetters(word));
    expect(new Set(folded)).to.have.property('size', groups.length);
  });

  it('leaves function words of a long query out first, and then the last words', () => {
    const termsOf = (words: readonly string[]) =>
      shorten(parseQuery(words.join(' '))).terms.map(({ text }) => text);
    const words = Array.from({ length: 33 }, (_, n) => `w${n}`);
    expect(termsOf(words.slice(1))).to.deep.equal(words.slice(1));
    expect(termsOf(words)).to.deep.equal(words.slice(0, 32));
    const some = words.slice(0, 29);
    expect(termsOf(['how', '"the way"', 'can', ...some, 'I'])).to.deep.equal([
      'how',
      'the way',
      'can',
      ...some,
    ]);
    expect(termsOf(['how', 'can', 'the', ...words])).to.deep.equal(words.slice(0, 32));
  });

  it('keeps the first 64 words of all compounds and phrases together', () => {
    const termsOf = (q: string) => shorten(parseQuery(q)).terms.map(({ text }) => text);
    expect(termsOf(`${'a-'.repeat(70)} last`)).to.deep.equal([`${'a-'.repeat(63)}a`]);
    expect(termsOf(`"${'the '.repeat(70)}"`)).to.deep.equal(['the '.repeat(64).trim()]);
    expect(termsOf('字'.repeat(70))).to.deep.equal(['字'.repeat(64)]);
    expect(termsOf(`wi-fi "${'a '.repeat(61)}" c++ last`)).to.deep.equal([
      'wi-fi',
      'a '.repeat(61).trim(),
      'c++',
    ]);
  });

  it('splits a compound, except at a single letter or a digit', () => {
    expect(tellingIn('wi-fi title:lantern foo_bar-v3-jetty')).to.deep.equal([
      'wi',
      'fi',
      'title',
      'lantern',
      'foo',
      'bar-v3',
      'jetty',
    ]);
    const whole = ['e-mail', 'T1000-E', 'esp32-s3', 'v1.2.3', 'C++', '--flag', '.NET', "captain's"];
    expect(tellingIn(whole.join(' '))).to.deep.equal(whole);
  });

  it('splits where letters of a script without spaces meet others', () => {
    expect(tellingIn('jettyเบรก เบรกT1000-E 刹车jetty')).to.deep.equal([
      'jetty',
      'เบรก',
      'T1000-E',
    ]);
    expect(tellingIn('លេខjetty jettyເບຣກ')).to.include('jetty');
  });

  it('leaves out an elided article or pronoun', () => {
    expect(tellingIn("comment régler l'antenne d’un T1000-E, c'est possible")).to.deep.equal([
      'régler',
      'antenne',
      'T1000-E',
    ]);
    expect(tellingIn("(dell'antenna) o'clock t'1 we've")).to.deep.equal([
      'antenna',
      "o'clock",
      "t'1",
      "we've",
    ]);
  });

  it('does not split a word that has synonyms', () => {
    const term = { text: 'wi-fi', phrase: false, synonyms: ['wlan'] };
    expect(tellingTerms([term])).to.deep.equal([term]);
  });

  it('does not split a phrase', () => {
    expect(tellingIn('"to be or not" be')).to.deep.equal(['to be or not']);
  });

  it('recognises a foreign question by its function words, and a mixed one by their number', () => {
    for (const q of ['como usar el repetidor', 'wie geht das', 'как обновить', 'où est la carte']) {
      expect(isForeign(parseQuery(q)), q).to.equal(true);
    }
    for (const q of ['range', 'how to use la carte', 'flash firmware', 'usar']) {
      expect(isForeign(parseQuery(q)), q).to.equal(q === 'usar');
    }
  });

  it('does not take one word that tells something in English for a foreign question', () => {
    for (const q of ['door sensr', 'pi hat', 'com port drivr', 'per channel volum']) {
      expect(isForeign(parseQuery(q)), q).to.equal(false);
    }
    for (const q of ['antena para techo', 'comment flasher', 'welke van die knoppen']) {
      expect(isForeign(parseQuery(q)), q).to.equal(true);
    }
  });

  it('leaves out a foreign function word that tells something in English only where the question is foreign', () => {
    expect(tellingIn('how do I mount a car antenna')).to.deep.equal(['mount', 'car', 'antenna']);
    expect(tellingIn('car la carte est mince')).to.deep.equal(['carte', 'mince']);
  });

  it('does not take a part of a name or an address for a foreign word', () => {
    const names = ['socket.io timout', 'github.com/meshcor', 'firmware.bin corupt', 'run -e x'];
    for (const q of [...names, 'los_foros', 'run (e) x', 'los-foros']) {
      expect(isForeign(parseQuery(q)), q).to.equal(['run (e) x', 'los-foros'].includes(q));
    }
  });

  it('does not take a single letter in a name for a foreign word', () => {
    for (const q of ['T1000-E lighthoose', 'e-mail gatway', 'u-blox modul', 'peut-on flasher']) {
      expect(isForeign(parseQuery(q)), q).to.equal(q.startsWith('peut-on'));
    }
  });
});
