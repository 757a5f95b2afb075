import { expect } from 'chai';
import { aThread, searchSuite } from '../../../support/searchDocuments.js';

const TITLE = 'Why does my “sextant” drift? (v2.1)';

const CORPUS = [
  aThread({ title: TITLE, messages: ['It points two degrees east of the pole star.'] }),
  aThread({ title: 'Why does my sextant drift so far', messages: ['no idea'] }),
  aThread({ title: 'Drift: sextant, why', messages: ['my does it'] }),
  aThread({ title: 'Sextants drifting', messages: ['nothing else'] }),
  aThread({
    title: 'Maps',
    messages: [
      'The old sextant began to drift today, which is why my notes stop.',
      'sextants, many of them, stacked in a room with no light or air, were drifting',
      'a sextant drift table',
      'drift sextant',
    ],
  }),
  aThread({
    title: 'Charts',
    messages: [
      'sextant on the table by the window where the cat sleeps most of the day and does not drift',
    ],
  }),
];

describe('search: scores', () => {
  const fixture = searchSuite(...CORPUS.flat());

  const threads = async (q: string) =>
    new Map(
      (await fixture.search(q, { limit: 100 })).results.threads.map(({ title, score }) => [
        title,
        score,
      ]),
    );
  const messages = async (q: string) =>
    new Map(
      (await fixture.search(q, { limit: 100 })).results.messages.map(({ content, score }) => [
        content.slice(0, 15),
        score,
      ]),
    );

  it('gives 1 to the title as it stands, and puts it first', async () => {
    for (const { 0: thread } of CORPUS) {
      const { results } = await fixture.search(thread.title, { type: 'threads' });
      expect(results.threads[0]).to.deep.include({ title: thread.title, score: 1 });
    }
  });

  it('gives 1 to the title in quotes', async () => {
    expect((await threads('"sextants drifting"')).get('Sextants drifting')).to.equal(1);
  });

  it('gives 0.9 to a phrase of the title', async () => {
    expect((await threads('sextant drift')).get(TITLE)).to.be.within(0.9, 1);
    expect((await threads('"why does my"')).get(TITLE)).to.be.within(0.9, 1);
  });

  it('gives 0.7 to 0.9 to all terms in the title, as written above inflected', async () => {
    const found = await threads('sextant drift');
    expect(found.get('Drift: sextant, why')).to.be.within(0.84, 0.9);
    expect(found.get('Sextants drifting')).to.be.within(0.7, 0.84);
  });

  it('gives 0.7 to a phrase of a message and to words nearly side by side', async () => {
    const found = await messages('sextant drift');
    expect(found.get('a sextant drift')).to.be.within(0.8, 0.9);
    expect(found.get('drift sextant')).to.be.within(0.7, 0.8);
    expect(found.get('The old sextant')).to.be.within(0.7, 0.8);
    expect((await messages('degrees east of the')).get('It points two d')).to.be.within(0.8, 0.9);
  });

  it('counts an emoji in a phrase as a word', async () => {
    await fixture.store(
      aThread({ title: 'My flare 🚀 burns', messages: ['a flare 🚀', '🚀 flare'] }),
    );
    const q = 'flare 🚀';
    expect((await threads(q)).get('My flare 🚀 burns')).to.be.within(0.9, 1);
    const found = await messages(q);
    expect(found.get('a flare 🚀')).to.be.within(0.8, 0.84);
    expect(found.get('🚀 flare')).to.be.within(0.76, 0.8);
  });

  it('gives 0.5 to 0.7 to terms far apart, as written above inflected', async () => {
    const found = await messages('sextant drift');
    expect(found.get('sextant on the ')).to.be.within(0.6, 0.7);
    expect(found.get('sextants, many ')).to.be.within(0.5, 0.6);
  });

  it('places a message above a thread whose conversation alone holds the words', async () => {
    const found = await threads('sextant drift');
    expect(found.get('Maps')).to.be.within(0.5, 0.56);
    expect(found.get('Charts')).to.be.within(0.5, 0.56);
    for (const score of (await messages('sextant drift')).values()) {
      expect(score).to.be.at.least(0.56);
    }
  });

  it('adds to a thread’s relevance where its title holds a term', async () => {
    await fixture.store([
      ...aThread({ title: 'The gaff of an old boat', messages: ['its topsail is torn'] }),
      ...aThread({ title: 'Sewing', messages: ['gaff and topsail are torn'] }),
    ]);
    const found = await threads('gaff topsail');
    expect([...found.keys()]).to.deep.equal(['The gaff of an old boat', 'Sewing']);
    for (const score of found.values()) expect(score).to.be.within(0.5, 0.56);
  });

  it('gives a thread the relevance of its best stretch, however many match', async () => {
    const said = `spritsail and leeboard ${'with many other words around them '.repeat(20)}`;
    await fixture.store([
      ...aThread({ title: 'Many', messages: Array<string>(20).fill(said) }),
      ...aThread({ title: 'One', messages: ['spritsail or leeboard'] }),
    ]);
    expect([...(await threads('spritsail leeboard')).keys()]).to.deep.equal(['One', 'Many']);
  });

  it('lets as many words stand between terms as there are terms, where these are no words', async () => {
    const said = ['the ⚓ is below ⛵', 'down ⚓ now and then up ⛵'];
    await fixture.store(aThread({ title: 'Signs', messages: said }));
    const found = await messages('⛵ ⚓');
    expect(found.get(said[0]!.slice(0, 15))).to.be.within(0.76, 0.8);
    expect(found.get(said[1]!.slice(0, 15))).to.be.within(0.62, 0.7);
  });

  it('shows nothing below minScore, and counts nothing below it', async () => {
    for (const minScore of [0.6, 0.7, 0.85, 0.95]) {
      const { results, total } = await fixture.search('sextant drift', { minScore, limit: 100 });
      const scores = [...results.threads, ...results.messages].map(({ score }) => score);
      expect(Math.min(...scores)).to.be.at.least(minScore);
      expect(scores).to.have.length(total);
    }
  });

  it('gives a document the same score, whatever the other parameters are', async () => {
    const wide = await fixture.search('sextant drift', { minScore: 0, limit: 100 });
    const narrow = await fixture.search('sextant drift', { type: 'messages', limit: 1, offset: 2 });
    const one = narrow.results.messages[0]!;
    const same = wide.results.messages.find(({ id }) => id === one.id);
    expect(same?.score).to.equal(one.score);
  });

  it('gives the same score to a query that is too long for weak matches, whatever its minScore', async () => {
    const q =
      'every morning before breakfast somebody polishes seventeen brass instruments while another person quietly writes down tomorrow weather beside an open porthole';
    await fixture.store(aThread({ title: 'Log', messages: [`${q} twice`] }));
    const scoreOf = async (minScore: number) =>
      (await fixture.search(q, { minScore })).results.messages[0]?.score;
    expect(await scoreOf(0.5)).to.be.within(0.8, 0.84);
    expect(await scoreOf(0.1)).to.equal(await scoreOf(0.5));
    expect(await scoreOf(0.85)).to.equal(undefined);
  });

  it('gives words far apart a score that does not grow with their number', async () => {
    const words = ['gudgeon', 'futtock', 'garboard', 'rabbet', 'thwart', 'breasthook'];
    const talk = 'and other things that are said in between, '.repeat(20);
    const said = words.map((word) => `${word} ${talk}`);
    await fixture.store(aThread({ title: 'Timber', messages: said }));
    const scoreOf = async (count: number) => {
      const found = await fixture.search(words.slice(-count).join(' '), { minScore: 0 });
      return found.results.threads[0]!.score;
    };
    const few = await scoreOf(3);
    expect(few).to.be.within(0.4, 0.5);
    expect(await scoreOf(6)).to.be.closeTo(few, 0.001);
  });

  it('gives a long thread one place, below the messages that say it, and none where its words never meet', async () => {
    const said = Array.from({ length: 20 }, (_, n) =>
      aThread({
        title: `Deck ${n}`,
        messages: [`Check ${n} of the mizzen and then of the halyard`],
      }),
    );
    const filler = 'Nothing is said about either in these many words. '.repeat(6);
    const spread = (gap: readonly string[]) =>
      Array.from({ length: 100 }, () => ['the mizzen', ...gap, 'the halyard', ...gap]).flat();
    const [long] = aThread({ title: 'Meets', messages: spread([]) });
    const [apart] = aThread({ title: 'Never meets', messages: spread([filler, filler, filler]) });
    await fixture.store([...said.flat(), long, apart]);
    const page = await fixture.search('mizzen halyard');
    expect(page.results.messages).to.have.length(20);
    expect(page.results.threads).to.deep.equal([]);
    const { results } = await fixture.search('mizzen halyard', { limit: 100, type: 'threads' });
    const ofLong = results.threads.filter(({ title }) => title.includes('eets'));
    expect(ofLong.map(({ title }) => title)).to.deep.equal(['Meets']);
    expect(ofLong[0]!.score).to.be.within(0.5, 0.56);
  });
});
