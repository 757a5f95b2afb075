import { expect } from 'chai';
import type { SearchParams, SearchResponse } from '../../../../shared/contract/search.js';
import { aThread, searchSuite } from '../../../support/searchDocuments.js';

interface Ranked {
  key: string;
  score: number;
  createdAt: string;
}

function ranked({ results }: SearchResponse): Ranked[] {
  return [
    ...results.threads.map(({ id, score, createdAt }) => ({ key: `t${id}`, score, createdAt })),
    ...results.messages.map(({ id, score, createdAt }) => ({ key: `m${id}`, score, createdAt })),
  ];
}

describe('search: paging and filters', () => {
  const fixture = searchSuite();

  before(async () => {
    const threads = Array.from({ length: 40 }, (_, index) =>
      aThread({
        title: index % 4 === 0 ? 'About anchors' : 'Something else',
        messages: [`anchor ${'chain '.repeat(index % 3)}`, { content: 'anchor', authorId: '42' }],
        createdAt: new Date(Date.UTC(2024, 0, 1 + Math.floor(index / 3))).toISOString(),
        serverId: index < 10 ? '1' : '2',
        channelId: index < 5 ? '11' : '12',
        tags: index % 2 === 0 ? ['Ship’s Gear'] : [],
        status: index < 3 ? 'resolved' : index < 5 ? 'locked' : index < 7 ? 'archived' : 'open',
        authorId: index < 4 ? '43' : '44',
      }),
    );
    await fixture.store(threads.flat());
  });

  for (const limit of [1, 7, 100]) {
    it(`shows every result once, ${limit} at a time`, async () => {
      const { total } = await fixture.search('anchor');
      const seen: Ranked[] = [];
      for (let offset = 0; offset < total; offset += limit) {
        const page = ranked(await fixture.search('anchor', { limit, offset }));
        expect(page).to.have.length(Math.min(limit, total - offset));
        seen.push(...page);
      }
      expect(new Set(seen.map(({ key }) => key)).size).to.equal(total);
      // A page holds threads and messages apart. So only pages of one result tell the order of both.
      for (const kind of ['t', 'm']) expectOrder(seen.filter(({ key }) => key.startsWith(kind)));
      if (limit === 1) expectOrder(seen);
    });
  }

  it('shows a thread before the message that began it, where both match equally', async () => {
    const [thread, message] = aThread({ title: 'Spinnaker', messages: ['spinnaker'] });
    await fixture.store([message!, thread]);
    const pages = [0, 1].map((offset) =>
      fixture.search('spinn', { minScore: 0.3, limit: 1, offset }),
    );
    const [first, second] = (await Promise.all(pages)).map(ranked);
    expect(first![0]!.score).to.equal(second![0]!.score);
    expect(first![0]!.key).to.equal(`t${thread.threadId}`);
    expect(second![0]!.key).to.equal(`m${thread.threadId}`);
  });

  it('answers the last page that may be asked for', async () => {
    const { total, results } = await fixture.search('anchor', { limit: 100, offset: 9_900 });
    expect(total).to.equal(120);
    expect(results).to.deep.equal({ threads: [], messages: [] });
  });

  it('counts both kinds', async () => {
    const found = await fixture.search('anchor', { limit: 1 });
    expect(found).to.include({ threadCount: 40, messageCount: 80, total: 120, suggestion: null });
    expect(found.query).to.equal('anchor');
    const threads = await fixture.search('anchor', { type: 'threads' });
    expect(threads).to.include({ threadCount: 40, messageCount: 0, total: 40 });
    const messages = await fixture.search('anchor', { type: 'messages' });
    expect(messages).to.include({ threadCount: 0, messageCount: 80, total: 80 });
  });

  it('answers the same to the same question', async () => {
    const ask = () => fixture.search('anchor', { limit: 100 });
    expect(await ask()).to.deep.equal(await ask());
  });

  const FILTERED: [Partial<SearchParams>, threads: number, messages: number][] = [
    [{ serverId: '1' }, 10, 20],
    [{ channelId: '11' }, 5, 10],
    [{ serverId: '2', channelId: '11' }, 0, 0],
    [{ serverId: 'unknown' }, 0, 0],
    [{ tag: 'ship’s gear' }, 20, 40],
    [{ tag: 'gear' }, 0, 0],
    [{ status: 'resolved' }, 3, 6],
    [{ status: 'locked' }, 2, 4],
    [{ status: 'open' }, 33, 66],
    [{ authorId: '43' }, 4, 0],
    [{ authorId: '42' }, 0, 40],
    [{ after: '2024-01-02T00:00:00.000Z' }, 37, 74],
    [{ before: '2024-01-02T00:00:00.000Z' }, 3, 6],
    [{ after: '2024-01-02T00:00:00.000Z', before: '2024-01-03T00:00:00.000Z' }, 3, 6],
    [{ hasAttachment: true }, 0, 0],
    [{ hasAttachment: false }, 40, 80],
  ];
  for (const [params, threadCount, messageCount] of FILTERED) {
    it(`filters by ${JSON.stringify(params)}`, async () => {
      const found = await fixture.search('anchor', { ...params, limit: 100 });
      expect(found).to.include({ threadCount, messageCount });
    });
  }

  it('finds files by their thread and by their message', async () => {
    const withFile = { content: 'windlass drawing', hasAttachment: true };
    await fixture.store(aThread({ title: 'Plans', messages: ['windlass', withFile] }));
    const found = await fixture.search('windlass', { hasAttachment: true });
    expect(found).to.include({ threadCount: 1, messageCount: 1 });
  });

  function expectOrder(seen: readonly Ranked[]): void {
    const order = seen.map(({ score, createdAt, key }) => [
      (1 - score).toFixed(16),
      String(1e15 - Date.parse(createdAt)),
      // Ids have one length. The higher one comes first, and a thread comes before the message that shares its id.
      String(10n ** 20n - BigInt(key.slice(1))).padStart(21, '0') + (key[0] === 't' ? '0' : '1'),
    ]);
    const texts = order.map((parts) => parts.join(' '));
    expect(texts).to.deep.equal([...texts].sort());
  }
});
