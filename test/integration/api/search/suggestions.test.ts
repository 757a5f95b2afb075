import { expect } from 'chai';
import { suggestTitles } from '../../../../services/api/search/suggestTitles.js';
import { suggestResponseSchema, type SuggestParams } from '../../../../shared/contract/search.js';
import { aThread, searchSuite, UNLIMITED } from '../../../support/searchDocuments.js';

describe('search: suggestions', () => {
  const fixture = searchSuite();

  before(async () => {
    const crowd = Array.from({ length: 12 }, (_, index) =>
      aThread({
        title: `Crowded berth ${index}`,
        messages: Array.from({ length: index + 1 }, () => 'hello'),
      }),
    );
    await fixture.store([
      ...aThread({ title: 'Repairing a rudder', messages: ['the pintle snapped at sea'] }),
      ...aThread({ title: 'My rudder repairs', messages: ['use bronze'], serverId: '7' }),
      ...aThread({ title: 'C++ for sailors' }),
      ...aThread({ title: 'T1000-E in a lighthouse' }),
      ...aThread({ title: 'A timeout of socket.io' }),
      ...aThread({ title: 'Überholung der Jolle' }),
      ...aThread({ title: '달리는 배' }),
      ...aThread({ title: 'Hawse', messages: ['a hawse'] }),
      ...aThread({ title: 'Hawser', messages: ['use zigbeam'] }),
      ...aThread({ title: 'Ropes', messages: ['a hawser'] }),
      ...aThread({ title: 'Down again', messages: ['my clüster of sticks broke'] }),
      ...aThread({ title: 'Lights', messages: ['use zigbee'], channelId: '9' }),
      ...aThread({ title: 'Clutter zigbee' }),
      ...aThread({
        title: 'Radios',
        messages: ['meshtatstic', 'meshtastic', 'meshtastic again', 'meshtastic too'],
      }),
      ...aThread({ title: 'Towers', messages: ['a meshtatstic gauge'] }),
      ...aThread({ title: 'Weather', messages: ['run tides --publish on port 3000'] }),
      ...crowd.flat(),
    ]);
  });

  const titles = async (q: string, place: Omit<SuggestParams, 'q'> = {}) => {
    const { suggestions } = await suggestTitles(fixture, { q, ...place }, UNLIMITED);
    return suggestions.map(({ title }) => title);
  };

  it('corrects a query that finds nothing', async () => {
    const found = await fixture.search('rudddr <b>pintel</b>');
    expect(found).to.include({ total: 0, suggestion: null });
    expect((await fixture.search('ruddder <i>pintlee')).suggestion).to.equal(null);
    expect((await fixture.search('ruddder <pintlee')).suggestion).to.equal('rudder pintle');
    expect((await fixture.search('pintxye')).suggestion).to.equal(null);
    expect((await fixture.search('"pintlee snapped"')).suggestion).to.equal('"pintle snapped"');
  });

  it('corrects a word beside a name with a single letter', async () => {
    expect((await fixture.search('T1000-E lighthoose')).suggestion).to.equal('T1000-E lighthouse');
    expect((await fixture.search('socket.io timout')).suggestion).to.equal('socket.io timeout');
  });

  it('prefers a common word to a rare one, which may be a typo in the archive', async () => {
    expect((await fixture.search('meshtakstic')).suggestion).to.equal('meshtastic');
  });

  it('takes the next similar word where the most common one finds nothing', async () => {
    expect((await fixture.search('gauge meshtakstic')).suggestion).to.equal('gauge meshtatstic');
    expect((await fixture.search('lighthouse meshtakstic')).suggestion).to.equal(null);
  });

  it('offers no function words alone', async () => {
    expect((await fixture.search('toox')).suggestion).to.equal(null);
    expect((await fixture.search('toox meshtakstic')).suggestion).to.equal('too meshtastic');
  });

  it('corrects a flag, and no number', async () => {
    expect((await fixture.search('tides --publsh')).suggestion).to.equal('tides --publish');
    expect((await fixture.search('port 3001')).suggestion).to.equal(null);
    expect((await fixture.search('tidess 3000')).suggestion).to.equal('tides 3000');
    expect((await fixture.search('tidess 3001')).suggestion).to.equal(null);
  });

  it('writes a correction with its accents, in small letters', async () => {
    expect((await fixture.search('uberholng')).suggestion).to.equal('überholung');
    expect((await fixture.search('Clusterr broke')).suggestion).to.equal('clüster broke');
  });

  it('takes no accents from a word in another script', async () => {
    await fixture.store(aThread({ title: 'Office', messages: ['my server, or сервер'] }));
    expect((await fixture.search('servrr сервер')).suggestion).to.equal('server сервер');
    expect((await fixture.search('сервер servrr')).suggestion).to.equal('сервер server');
  });

  it('offers only what finds something within the same filters', async () => {
    expect((await fixture.search('pintlee', { serverId: '7' })).suggestion).to.equal(null);
    expect((await fixture.search('bronzze', { serverId: '7' })).suggestion).to.equal('bronze');
    expect((await fixture.search('bronzze', { minScore: 0.9 })).suggestion).to.equal(null);
  });

  it('offers the same on every page', async () => {
    expect((await fixture.search('bronzze', { offset: 20 })).suggestion).to.equal('bronze');
  });

  it('offers nothing where something was found, or no word is similar', async () => {
    expect((await fixture.search('pintle')).suggestion).to.equal(null);
    expect((await fixture.search('qqqqqqqqqq')).suggestion).to.equal(null);
  });

  it('does not correct words that are known from messages or titles', async () => {
    for (const q of ['cluster zigbee', 'Clüster zigbee', 'clutter sticks'])
      expect(await fixture.search(q), q).to.include({ total: 0, suggestion: null });
    // `hawser` is similar, and would find something.
    expect(await fixture.search('hawse zigbeam')).to.include({ total: 0, suggestion: null });
    expect((await fixture.search('clusterr stickss')).suggestion).to.equal('clüster sticks');
    expect((await fixture.search('jollle')).suggestion).to.equal('jolle');
  });

  it('offers nothing that the API would refuse', async () => {
    // Without the signs of markup, the words of a correction are more than the API takes.
    const words = Array.from({ length: 7 }, (_, n) => `a${n}<b${n}<c${n}<d${n}<e${n}`);
    const found = await fixture.search(`${words.join(' ')} pintlee`);
    expect(found).to.include({ total: 0, suggestion: null });
  });

  it('completes titles, those that begin so first', async () => {
    expect(await titles('rep')).to.deep.equal(['Repairing a rudder', 'My rudder repairs']);
    expect(await titles('RUDDER')).to.have.members(['Repairing a rudder', 'My rudder repairs']);
    expect(await titles('my rud')).to.deep.equal(['My rudder repairs']);
    expect(await titles('rud my')).to.deep.equal([]);
    expect(await titles('c++')).to.deep.equal(['C++ for sailors']);
    expect(await titles('uber')).to.deep.equal(['Überholung der Jolle']);
    expect(await titles('달리는 배'.normalize('NFD'))).to.deep.equal(['달리는 배']);
  });

  it('completes titles of one server, or of one channel', async () => {
    expect(await titles('rep', { serverId: '7' })).to.deep.equal(['My rudder repairs']);
    expect(await titles('rep', { serverId: '7', channelId: '9' })).to.deep.equal([]);
    expect(await titles('lights', { channelId: '9' })).to.deep.equal(['Lights']);
  });

  it('gives at most 8, the longest conversations first', async () => {
    const found = await titles('crowded');
    expect(found).to.have.length(8);
    expect(found[0]).to.equal('Crowded berth 11');
  });

  it('answers in its shape, with nothing for what cannot be found', async () => {
    const found = await suggestTitles(fixture, { q: 'rep' }, UNLIMITED);
    expect(suggestResponseSchema.validate(found).error).to.equal(undefined);
    expect(await suggestTitles(fixture, { q: '?!' }, UNLIMITED)).to.deep.equal({
      query: '?!',
      suggestions: [],
    });
  });
});
