import { expect } from 'chai';
import { createCursors } from '../../../services/api/paging/cursors.js';
import { listCursor, listThreadsQuery } from '../../../services/api/threads/listThreadsQuery.js';
import { joinedRanges } from '../../../services/api/stores/rangeReader.js';
import { pageReader } from '../../../services/api/threads/pageReader.js';
import {
  THREAD_SORTS,
  THREAD_STATUS_FILTERS,
  THREAD_STATUSES,
  type ThreadListQuery,
} from '../../../shared/contract/threads.js';
import { aThreadItem } from '../../support/apiViews.js';
import { openApiStores, type ApiStores } from '../../support/apiStores.js';
import { PATIENT_READS } from '../../support/patientReads.js';

const THREADS = 20_000;
const LIMIT = 20;
const FIRST = 700_000_000_000_000_000n;

/** The parts of explain's answer for a find. */
interface Explained {
  queryPlanner: { winningPlan: object };
  executionStats: { nReturned: number; totalKeysExamined: number; totalDocsExamined: number };
}

const places: Partial<ThreadListQuery>[] = [
  {},
  { serverId: '11' },
  { channelId: '1103' },
  { tag: 'common' },
  { tag: 'rare' },
  { serverId: '11', tag: 'Common' },
  { serverId: '11', tag: 'rare' },
  { channelId: '1103', tag: 'common' },
  { channelId: '1103', tag: 'rare' },
  { channelId: '1199' },
  { serverId: '99', tag: 'none' },
];

const cursors = createCursors('a secret');

describe('plans of GET /api/threads', () => {
  let stores: ApiStores;
  before(async () => {
    stores = await openApiStores();
    const items = Array.from({ length: THREADS }, (_, n) =>
      aThreadItem({
        threadId: String(FIRST + BigInt(n)),
        serverId: String(10 + (n % 3)),
        channelId: n % 5_000 === 4_999 ? '1199' : `11${String(n % 9).padStart(2, '0')}`,
        status: THREAD_STATUSES[Math.floor(n / 18) % 4]!,
        tags: [...(n % 2 ? ['common'] : []), ...(n % 5_000 === 3 ? ['rare'] : [])],
        messageCount: Math.floor(n / 72) % 4,
        lastActivityAt: new Date(Date.UTC(2026, 0, 1) + (n % 1_000) * 60_000).toISOString(),
      }),
    );
    await stores.mongo.collections.threadItems.insertMany(items, { ordered: false });
  });
  after(() => stores.close());

  for (const sort of THREAD_SORTS) {
    it(`reads a page by ${sort} at the cost of its rows, in every filter, first pages and deep ones`, async () => {
      let rows = 0;
      for (const place of places) {
        for (const status of THREAD_STATUS_FILTERS) {
          const query: ThreadListQuery = { ...place, status, sort, limit: LIMIT };
          rows += await checkPlan(query);
          rows += await checkPlan({ ...query, cursor: await deepCursor(query) });
        }
      }
      expect(rows).to.be.above(900);
    });
  }

  it('reads joined pages at the cost of their rows, each in its order', async () => {
    const { threadItems } = stores.mongo.collections;
    const readPage = pageReader(stores.mongo.collections, PATIENT_READS);
    for (const place of [{}, { serverId: '11', tag: 'rare' }, { channelId: '1103' }]) {
      const queries = THREAD_SORTS.flatMap((sort) =>
        THREAD_STATUS_FILTERS.map((status) => ({ ...place, status, sort, limit: LIMIT })),
      );
      const deep = await Promise.all(
        queries.map(async (query) => ({ ...query, cursor: await deepCursor(query) })),
      );
      const scans = [...queries, ...deep].map((query) => listThreadsQuery(query, cursors));
      for (let at = 0; at < scans.length; at += 16) {
        const some = scans.slice(at, at + 16);
        const explained = await threadItems
          .aggregate(joinedRanges(threadItems.collectionName, some), { hint: some[0]!.hint })
          .explain('executionStats');
        const text = JSON.stringify(explained, (name, value: unknown) =>
          name === 'rejectedPlans' ? undefined : value,
        );
        expect(text).not.to.contain('"stage":"SORT"');
        const examined = [...text.matchAll(/"totalKeysExamined":"?(\d+)/g)].map(([, n]) =>
          Number(n),
        );
        for (const keys of examined) expect(keys).to.be.at.most(LIMIT + 3);
      }
      // All are asked for in one turn: the first calls go out at once, and the others are joined.
      const together = await Promise.all(scans.map(readPage));
      for (const [n, scan] of scans.entries()) {
        expect(await readPage(scan)).to.deep.equal(together[n]);
      }
    }
  });

  async function checkPlan(query: ThreadListQuery): Promise<number> {
    const { filter, sort, hint, limit, projection } = listThreadsQuery(query, cursors);
    const { queryPlanner, executionStats } = (await stores.mongo.collections.threadItems
      .find(filter, { projection, hint })
      .sort(sort)
      .limit(limit)
      .explain('executionStats')) as unknown as Explained;
    const about = JSON.stringify(query);
    expect(JSON.stringify(queryPlanner.winningPlan), about).not.to.contain('"SORT"');
    expect(executionStats.totalKeysExamined, about).to.be.at.most(LIMIT + 5);
    expect(executionStats.totalDocsExamined, about).to.be.at.most(LIMIT + 5);
    return executionStats.nReturned;
  }

  /** The cursor of a row in the middle of the list, or of a row that no list has. */
  async function deepCursor(query: ThreadListQuery): Promise<string> {
    const { filter, sort, field, hint } = listThreadsQuery(query, cursors);
    const { threadItems } = stores.mongo.collections;
    const size = await threadItems.countDocuments(filter, { hint });
    const [row] = await threadItems
      .find(filter, { hint })
      .sort(sort)
      .skip(Math.floor(size / 2))
      .limit(1)
      .toArray();
    return listCursor(query, row?.[field] ?? '0'.repeat(20), cursors);
  }
});
