import { expect } from 'chai';
import {
  THREAD_SORTS,
  threadListQuerySchema,
  threadPageSchema,
  type ThreadPage,
  type ThreadSort,
} from '../../../shared/contract/threads.js';
import { startApi, type ApiServer } from '../../support/apiServer.js';
import { aThreadItem, type ItemSketch } from '../../support/apiViews.js';

const FIRST = 700_000_000_000_000_000n;

/** 110 threads over 2 servers and 4 channels, with many equal counts and times, one in three unanswered. */
const sketches = Array.from({ length: 110 }, (_, n): ItemSketch => ({
  threadId: String(FIRST + BigInt(n)),
  serverId: String(10 + (n % 2)),
  channelId: String(100 + (n % 4)),
  status: (['open', 'resolved', 'locked', 'archived'] as const)[n % 4 === 0 ? 0 : n % 3]!,
  tags: n % 5 === 0 ? ['Help', 'C++'] : [],
  messageCount: n % 3,
  lastActivityAt: new Date(Date.UTC(2026, 0, 1, 0, n % 7)).toISOString(),
}));

const compare = {
  latest: (a, b) => byId(b, a),
  oldest: (a, b) => byId(a, b),
  popular: (a, b) => b.messageCount! - a.messageCount! || byId(b, a),
  recently_active: (a, b) => b.lastActivityAt!.localeCompare(a.lastActivityAt!) || byId(b, a),
  unanswered: (a, b) => byId(a, b),
} satisfies Record<ThreadSort, (a: ItemSketch, b: ItemSketch) => number>;

function byId(a: ItemSketch, b: ItemSketch): number {
  return Number(BigInt(a.threadId) - BigInt(b.threadId));
}

describe('GET /api/threads', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
  });
  beforeEach(async () => {
    const { threadItems } = api.stores.mongo.collections;
    await threadItems.deleteMany({});
    await threadItems.insertMany(sketches.map(aThreadItem));
    api.cache.clear();
  });
  after(() => api.close());

  async function page(query: string): Promise<ThreadPage> {
    const reply = await api.get(`/api/threads?${query}`);
    expect(reply.status, reply.body.toString()).to.equal(200);
    const checked = threadPageSchema.validate(reply.json(), { convert: false });
    expect(checked.error, query).to.equal(undefined);
    return reply.json() as ThreadPage;
  }

  /** All pages of a list, as ids. `between` runs after each page. */
  async function walk(
    query: string,
    between?: (n: number) => Promise<unknown>,
  ): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor = ''; ;) {
      const { threads, nextCursor, hasMore } = await page(query + cursor);
      pages.push(threads.map(({ id }) => id));
      expect(hasMore).to.equal(nextCursor !== null);
      if (!nextCursor) return pages;
      cursor = `&cursor=${nextCursor}`;
      await between?.(pages.length);
    }
  }

  function expected(sort: ThreadSort, match: (sketch: ItemSketch) => boolean): string[] {
    return sketches
      .filter((sketch) => match(sketch) && (sort !== 'unanswered' || sketch.messageCount! <= 1))
      .sort(compare[sort])
      .map(({ threadId }) => threadId);
  }

  const filters: [string, (sketch: ItemSketch) => boolean][] = [
    ['', () => true],
    ['serverId=10', ({ serverId }) => serverId === '10'],
    ['channelId=103', ({ channelId }) => channelId === '103'],
    ['tag=hELP', ({ tags }) => tags!.length > 0],
    ['tag=c%2B%2B&serverId=11', ({ tags, serverId }) => tags!.length > 0 && serverId === '11'],
    ['channelId=101&serverId=11&status=open', (s) => s.channelId === '101' && s.status === 'open'],
    ['channelId=101&serverId=10', () => false],
    ['status=resolved', ({ status }) => status === 'resolved'],
    ['status=locked&channelId=102', (s) => s.status === 'locked' && s.channelId === '102'],
  ];

  it('is tested with every filter', () => {
    const tested = filters.flatMap(([query]) => [...new URLSearchParams(query).keys()]);
    const { keys } = threadListQuerySchema.describe() as { keys: object };
    const known = Object.keys(keys).filter((key) => !['sort', 'limit', 'cursor'].includes(key));
    expect([...new Set(tested)]).to.have.members(known);
  });

  for (const sort of THREAD_SORTS) {
    it(`walks through all pages of every filter by ${sort}, up to an exact last page`, async () => {
      for (const [filter, match] of filters) {
        const ids = expected(sort, match);
        for (const limit of [7, 100, ids.length]) {
          if (limit < 1) continue;
          const size = Math.min(limit, 100);
          const pages = await walk(`${filter}&sort=${sort}&limit=${size}`);
          const expectedPages = Array.from(
            { length: Math.max(1, Math.ceil(ids.length / size)) },
            (_, n) => ids.slice(n * size, (n + 1) * size),
          );
          expect(pages, `${filter} by ${sort}, ${limit}`).to.deep.equal(expectedPages);
        }
      }
    });

    for (const limit of [1, 7, 100]) {
      it(`loses and repeats nothing by ${sort}, ${limit} a page, while threads are added`, async () => {
        const { threadItems } = api.stores.mongo.collections;
        let id = FIRST + 1_000n;
        const insert = async (n: number): Promise<void> => {
          if (n > 40) return;
          // Threads come in front of, within and behind every place where a page may stand.
          for (const older of [-2_000n, 0n]) {
            const threadId = String((id += 1n) + older);
            const item = aThreadItem({ ...sketches[n]!, threadId });
            await threadItems.insertOne(item);
            await api.announce({
              threads: [{ threadId, serverId: item.serverId, channelId: item.channelId }],
            });
          }
        };
        const seen = (await walk(`sort=${sort}&limit=${limit}`, insert)).flat();
        expect(new Set(seen).size).to.equal(seen.length);
        expect(seen).to.include.members(expected(sort, () => true));
        const old = new Set(sketches.map(({ threadId }) => threadId));
        const kept = seen.filter((threadId) => old.has(threadId));
        expect(kept).to.deep.equal(expected(sort, () => true));
      });
    }
  }

  it('answers the 20 newest by default', async () => {
    expect((await page('limit=19')).threads).to.have.length(19);
    const { threads, hasMore } = await page('');
    expect(threads).to.have.length(20);
    expect(hasMore).to.equal(true);
    expect(threads[0]?.id).to.equal(sketches.at(-1)?.threadId);
  });

  it('sends the stored texts unchanged', async () => {
    const { threads } = await page('limit=1&sort=oldest');
    expect(threads[0]).to.deep.equal(JSON.parse(aThreadItem(sketches[0]!).item));
  });

  it('refuses a cursor that is damaged, or belongs to another sort or filter', async () => {
    const { nextCursor } = await page('limit=5&serverId=10');
    const good = String(nextCursor);
    await page(`limit=50&serverId=10&cursor=${good}`);
    for (const query of [
      `serverId=11&cursor=${good}`,
      `serverId=10&sort=oldest&cursor=${good}`,
      `serverId=10&status=open&cursor=${good}`,
      `cursor=${good}`,
      `serverId=10&cursor=${good.slice(1)}`,
      `serverId=10&cursor=${good}A`,
      `serverId=10&cursor=${good.slice(0, -1)}`,
      `serverId=10&cursor=${'A'.repeat(256)}`,
    ]) {
      const reply = await api.get(`/api/threads?${query}`);
      expect(reply.status, query).to.equal(400);
      expect(reply.json()).to.deep.include({ code: 'VALIDATION_ERROR' });
      expect(reply.body.toString()).to.contain('"path":"cursor"');
    }
  });
});
