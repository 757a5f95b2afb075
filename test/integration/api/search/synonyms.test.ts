import { expect } from 'chai';
import { searchArchive } from '../../../support/searchArchive.js';
import { parseSynonyms } from '../../../../services/api/search/synonyms.js';
import { Turns } from '../../../../services/api/turns.js';
import { aThread, searchParams, searchSuite, UNLIMITED } from '../../../support/searchDocuments.js';

describe('search: synonyms', () => {
  const fixture = searchSuite();
  const synonyms = parseSynonyms('bt, bluetooth, blue tooth\nfw, firmware', 'words.txt');

  before(async () => {
    await fixture.store([
      ...aThread({ title: 'Bluetooth pairing', messages: ['It fails at once.'] }),
      ...aThread({
        title: 'Notes',
        messages: ['Turn blue tooth off, then flash.', 'A pairing over bt, they say.'],
      }),
      ...aThread({ title: 'Old', messages: ['Two firmwares, and one radio.'] }),
    ]);
  });

  const ask = (q: string, minScore = 0.5) =>
    searchArchive(
      { ...fixture, turns: new Turns(), synonyms },
      searchParams(q, { minScore }),
      UNLIMITED,
    );

  it('count as the word, with the same score', async () => {
    const { results } = await ask('bt pairing');
    expect(results.threads[0]).to.include({ title: 'Bluetooth pairing' });
    expect(results.threads[0]!.score).to.be.within(0.84, 0.9);
    expect(results.threads[0]!.highlights.title).to.include('<mark>Bluetooth</mark>');
    const said = (await ask('bluetooth off')).results.messages;
    expect(said.map(({ content }) => content)).to.deep.equal(['Turn blue tooth off, then flash.']);
    expect(said[0]!.score).to.be.within(0.76, 0.8);
    expect((await ask('fw radio')).results.messages[0]!.score).to.be.within(0.7, 0.73);
  });

  it('count per word, however many words they have', async () => {
    const long = parseSynonyms(
      'zz, cringle luff tack clew leech gasket roband batten',
      'words.txt',
    );
    const said = ['zz', 'cringle luff tack clew leech gasket roband batten'];
    await fixture.store(aThread({ title: 'Sails', messages: said }));
    const deps = { ...fixture, turns: new Turns(), synonyms: long };
    const found = await searchArchive(deps, searchParams('zz'), UNLIMITED);
    const scoreOf = (text: string) =>
      found.results.messages.find(({ content }) => content === text)!.score;
    expect(scoreOf(said[1]!)).to.be.within(0.62, scoreOf(said[0]!));
  });

  it('do not change what is found without them', async () => {
    expect((await fixture.search('bt')).messageCount).to.equal(1);
    expect((await ask('bt')).messageCount).to.equal(2);
    expect((await ask('bt', 0.1)).messageCount).to.equal(2);
  });

  it('are not used for quoted phrases', async () => {
    expect((await ask('"bt"')).messageCount).to.equal(1);
    expect((await ask('"bt" off')).messageCount).to.equal(0);
  });

  it('count in related matches', async () => {
    const { total, related } = await ask('how do i flash fw on a broken lighthouse');
    expect(total).to.equal(0);
    const contents = related.messages.map(({ content }) => content);
    expect(contents).to.include('Two firmwares, and one radio.');
  });
});
