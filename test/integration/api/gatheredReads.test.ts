import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Leaderboard } from '../../../shared/contract/users.js';
import { exchange, startApi, until, type ApiServer, type Reply } from '../../support/apiServer.js';
import { aRank, aThreadItem, storeBody } from '../../support/apiViews.js';

const MANY = 200;
const CALLS = 'forum_archive_store_call_duration_seconds_count{store="mongodb"}';

/** A call as MongoDB's profiler tells it. A further round trip of the same call is a `getmore`. */
interface Profiled {
  ns: string;
  op: string;
  command: { maxTimeMS?: number };
}

/** How many calls to MongoDB an API made during some work. */
async function callsOf(api: ApiServer, what: () => Promise<unknown>): Promise<number> {
  const calls = async (): Promise<number> => {
    const text = (await api.get('/metrics')).body.toString();
    const line = text.split('\n').find((each) => each.startsWith(CALLS));
    return Number(line?.slice(CALLS.length) ?? 0);
  };
  const before = await calls();
  await what();
  return (await calls()) - before;
}

describe('cold reads', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi({ env: { CACHE_MEGABYTES: '0' } });
    const { collections } = api.stores.mongo;
    for (let n = 1; n <= MANY; n += 1) await storeBody(collections, `thread/${n}`, { id: n });
    await storeBody(collections, 'stats/10', { total: 1 });
    await collections.threadItems.insertMany(
      Array.from({ length: MANY }, (_, n) => aThreadItem({ threadId: String(n + 1) })),
    );
    // Cursors need a key, which is read once.
    await api.get('/api/threads?limit=1');
  });
  after(() => api.close());

  it('of many different bodies at once give each asker the right one', async () => {
    const ids = Array.from({ length: MANY }, (_, n) => n + 1);
    const replies = await Promise.all(ids.map((id) => api.get(`/api/threads/${id}`)));
    expect(replies.map((reply) => reply.json())).to.deep.equal(ids.map((id) => ({ id })));
  });

  it('find exactly what exists', async () => {
    const paths = ['/api/threads/1', '/api/threads/999999', '/api/threads/2', '/users/5'];
    const replies = await Promise.all(paths.map((path) => api.get(path)));
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 404, 200, 404]);
  });

  it('return bodies of every length', async () => {
    const { collections } = api.stores.mongo;
    const texts = [10, 60_000, 70_000, 400_000].map((bytes) => randomBytes(bytes).toString('hex'));
    for (const [n, text] of texts.entries()) {
      await storeBody(collections, `thread/${1_000 + n}`, { text });
    }
    for (const headers of [{}, { 'Accept-Encoding': 'gzip;q=0' }]) {
      const replies = await Promise.all(
        texts.map((_, n) => api.get(`/api/threads/${1_000 + n}`, headers)),
      );
      expect(replies.map((reply) => (reply.json() as { text: string }).text)).to.deep.equal(texts);
    }
  });

  it('of a list count as one call', async () => {
    // A busy machine may need a second one.
    await until(async () => (await callsOf(api, () => api.get('/api/threads?limit=3'))) === 1);
  });

  it('take one round trip for each call, and limit how long MongoDB works on it', async () => {
    const { db, collections } = api.stores.mongo;
    await db.command({ profile: 2 });
    const paths = Array.from({ length: 40 }, (_, n) => [
      `/api/threads?limit=${100 - n}`,
      `/api/threads/${n + 1}`,
    ]);
    // What is asked for alone is read in another way than what is asked for together.
    for (const path of paths[0]!) await api.get(path);
    await Promise.all(paths.flat().map((path) => api.get(path)));
    await db.command({ profile: 0 });
    const { threadItems, bodies } = collections;
    const calls = await db
      .collection<Profiled>('system.profile')
      .find({ ns: { $in: [threadItems.namespace, bodies.namespace] } })
      .toArray();
    expect(calls.length).to.be.above(1);
    for (const { op, command } of calls) {
      expect(op).to.be.oneOf(['query', 'command']);
      expect(command.maxTimeMS).to.be.above(0);
    }
  });

  it('of pages of many leaderboards at once give each asker the right one, in few calls', async () => {
    const { collections } = api.stores.mongo;
    const serverIds = Array.from({ length: 60 }, (_, n) => String(600 + n));
    for (const id of serverIds)
      await storeBody(collections, `server/${id}`, { id, name: `S${id}` });
    await collections.ranks.insertMany(
      serverIds.flatMap((id) => [aRank(id, '1', 5), aRank(id, id, 7), aRank(id, '2', 5)]),
    );
    let boards: Leaderboard[] = [];
    const made = await callsOf(api, async () => {
      const replies = await Promise.all(serverIds.map((id) => api.get(`/leaderboard/${id}`)));
      boards = replies.map((reply) => reply.json() as Leaderboard);
    });
    for (const [n, { serverName, leaderboard }] of boards.entries()) {
      const id = serverIds[n]!;
      expect(serverName).to.equal(`S${id}`);
      const lines = leaderboard.map(({ rank, userId, count }) => [rank, userId, count]);
      expect(lines).to.deep.equal([
        [1, id, 7],
        [2, '1', 5],
        [2, '2', 5],
      ]);
    }
    expect(made).to.be.below(serverIds.length);
  });
});

describe('500 readers who want the same at once', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
    const { collections } = api.stores.mongo;
    await storeBody(collections, 'thread/1', { id: '1' });
    await storeBody(collections, 'stats/10', { total: 1 });
  });
  after(() => api.close());

  for (const path of ['/api/threads/1', '/api/servers/10/stats', '/api/threads/2']) {
    it(`cause one load of ${path}`, async () => {
      const { mongo, redis } = api.stores;
      let made = 0;
      // It begins anew where MongoDB was too slow, because a reader who asks again causes another load.
      await until(async () => {
        api.cache.clear();
        await redis.del(`${mongo.namespace}:stats:10`);
        let replies: Reply[] = [];
        made = await callsOf(api, async () => {
          const ask = () => exchange(api.url, 'GET', path);
          replies = await Promise.all(Array.from({ length: 500 }, ask));
        });
        return replies.every(({ status }) => status !== 503);
      });
      expect(made).to.equal(1);
    });
  }
});
