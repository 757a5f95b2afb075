import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseQuery } from '../../../../services/api/search/parseQuery.js';
import {
  parseSynonyms,
  readSynonyms,
  withSynonyms,
} from '../../../../services/api/search/synonyms.js';
import { SettingsError } from '../../../../shared/platform/settingsError.js';
import { withTemporaryFolder } from '../../../support/temporaryFolder.js';

const parse = (text: string) => parseSynonyms(text, 'words.txt');

describe('synonyms', () => {
  it('are the other words of a line', () => {
    const synonyms = parse('# radio\r\n\nbt,  Bluetooth , blue  tooth\nécran, screen\n');
    expect(synonyms.get('bt')).to.deep.equal(['Bluetooth', 'blue tooth']);
    expect(synonyms.get('bluetooth')).to.deep.equal(['bt', 'blue tooth']);
    expect(synonyms.get('ecran')).to.deep.equal(['screen']);
    expect(readSynonyms(undefined).size).to.equal(0);
  });

  it('may be 5 to a line, of 60 characters, with a mark at the beginning of the file', () => {
    const words = ['a', 'b', 'c', 'd', 'x'.repeat(60)];
    expect(parse(`\uFEFF${words.join(',')}`).get('d')).to.deep.equal(['a', 'b', 'c', words[4]]);
    expect(parse('\uFEFF# radio\nbt, bluetooth').size).to.equal(2);
  });

  it('are composed, as the index is', () => {
    expect(parse(`${'서버'.normalize('NFD')}, server`).get('server')).to.deep.equal(['서버']);
  });

  it('are of the very word: with its signs, its marks, or an emoji', () => {
    const synonyms = parse('c++, cpp\nc#, csharp\n👍, thumbs up\n🔥, fire\nガラス, glass\nмой, my');
    const added = (q: string) =>
      withSynonyms(parseQuery(q), synonyms).terms.flatMap((term) => term.synonyms ?? []);
    expect(added('(C++), C#?')).to.deep.equal(['cpp', 'csharp']);
    expect(added('👍🏽🔥')).to.deep.equal(['thumbs up', 'fire']);
    expect(added('ｶﾞﾗｽ МОЙ')).to.deep.equal(['glass', 'my']);
    expect(added('c 🎉 カラス мои')).to.deep.equal([]);
  });

  const WRONG: [string, string][] = [
    ['alone', 'line 1: must hold 2 to 5 words'],
    ['a, b, c, d, e, f', 'line 1: must hold 2 to 5 words'],
    ['a, b\nc, --', 'line 2: "--" holds no letter and no digit'],
    ['a,', 'line 1: "" holds no letter'],
    [`a, ${'x'.repeat(61)}`, 'longer than 60 characters'],
    ['a, b\n\nB, c', 'line 3: "B" stands in line 1 already'],
    ['a, Á', 'line 1: a word stands there twice'],
    [`a, b\n#${'x'.repeat(1_000_000)}`, 'more than 1000000 bytes'],
  ];
  for (const [text, problem] of WRONG) {
    it(`are refused: ${text.slice(0, 30).replaceAll('\n', '; ')}`, () => {
      expect(() => parse(text)).to.throw(SettingsError, problem);
    });
  }

  it('are refused with all wrong lines at once, and where the file is missing', () => {
    expect(() => parse('a\nb, c\nd')).to.throw(/line 1: [^]*line 3: /);
    expect(() => readSynonyms('/no/such/file')).to.throw(SettingsError, /SEARCH_SYNONYMS cannot/);
  });

  it('are refused where the file is no UTF-8', async () => {
    await withTemporaryFolder(async (folder) => {
      const path = join(folder, 'words.txt');
      for (const encoding of ['latin1', 'utf16le'] as const) {
        await writeFile(path, 'écran, screen', encoding);
        expect(() => readSynonyms(path), encoding).to.throw(SettingsError, /utf-8/);
      }
    });
  });

  it('are added to words, not to phrases, and to eight words at most', () => {
    const synonyms = parse(Array.from({ length: 10 }, (_, n) => `w${n}, v${n}`).join('\n'));
    const words = Array.from({ length: 10 }, (_, n) => `W${n}`).join(' ');
    const { terms } = withSynonyms(parseQuery(`"w0" other ${words}`), synonyms);
    expect(terms.filter((term) => term.synonyms).map(({ text }) => text)).to.deep.equal(
      Array.from({ length: 8 }, (_, n) => `W${n}`),
    );
    expect(terms[2]!.synonyms).to.deep.equal(['v0']);
  });
});
