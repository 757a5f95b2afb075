import { expect } from 'chai';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import { startApi, until, type ApiServer } from '../../support/apiServer.js';
import { aRank, aThreadItem, storeBody } from '../../support/apiViews.js';
import { emptyMongo } from '../../support/stores.js';

const THREAD = { threadId: '71', serverId: '10', channelId: '100' };

describe('response cache and announcements', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
  });
  afterEach(async () => {
    await emptyMongo(api.stores.mongo);
    api.cache.clear();
  });
  after(() => api.close());

  /**
   * Checks what `path` answers before a change. Then checks that within a second of the announcement it answers what
   * `change` has stored.
   */
  async function follows(
    path: string,
    change: () => Promise<unknown>,
    announcement: Partial<Announcement>,
  ): Promise<void> {
    const before = (await api.get(path)).body.toString();
    await change();
    expect((await api.get(path)).body.toString(), `${path} from the cache`).to.equal(before);
    await api.announce(announcement);
    await until(async () => (await api.get(path)).body.toString() !== before);
  }

  it('follows a thread that comes, goes, and comes again', async () => {
    const { collections } = api.stores.mongo;
    const path = '/api/threads/71';
    const announcement = { threads: [THREAD] };
    expect((await api.get(path)).status).to.equal(404);
    await follows(path, () => storeBody(collections, 'thread/71', { id: '71' }), announcement);
    await follows(
      path,
      () => storeBody(collections, 'thread/71', {}, { gone: true }),
      announcement,
    );
    expect((await api.get(path)).status).to.equal(404);
  });

  it('drops the lists of everywhere, of the server and of the channel, and no others', async () => {
    const { threadItems } = api.stores.mongo.collections;
    const touched = ['', '?tag=x', '?serverId=10', '?channelId=100', '?serverId=10&channelId=100'];
    const untouched = ['?serverId=11', '?channelId=101', '?serverId=11&tag=x'];
    for (const query of [...touched, ...untouched]) await api.get(`/api/threads${query}`);
    for (const [threadId, serverId, channelId] of [
      ['71', '10', '100'],
      ['72', '11', '101'],
    ] as const) {
      const item = aThreadItem({ threadId, serverId, channelId, tags: ['x'] });
      await threadItems.insertOne(item);
    }
    await api.announce({ threads: [THREAD] });
    for (const query of touched) {
      await until(async () => (await shown(query)) > 0);
    }
    for (const query of untouched) expect(await shown(query), query).to.equal(0);
  });

  async function shown(query: string): Promise<number> {
    const { threads } = (await api.get(`/api/threads${query}`)).json() as { threads: unknown[] };
    return threads.length;
  }

  it('is up to date for leaderboards', async () => {
    const { collections } = api.stores.mongo;
    await storeBody(collections, 'server/10', { name: 'Ten' });
    const change = () => collections.ranks.insertOne(aRank('10', '7', 5));
    await follows('/leaderboard/10', change, { servers: ['10'] });
  });

  it('keeps no answer that was being read when its announcement came', async () => {
    const { collections } = api.stores.mongo;
    await storeBody(collections, 'thread/71', { version: 0 });
    for (let version = 1; version <= 30; version += 1) {
      // Readers race with the write and its announcement, again and again.
      const readers = Array.from({ length: 10 }, () => api.get('/api/threads/71'));
      await storeBody(collections, 'thread/71', { version });
      const late = Array.from({ length: 10 }, () => api.get('/api/threads/71'));
      await api.announce({ threads: [THREAD] });
      await Promise.all([...readers, ...late]);
      await until(
        async () =>
          ((await api.get('/api/threads/71')).json() as { version: number }).version === version,
      );
    }
  });

  const nothing = { threads: [], servers: [], users: [], similar: [] };
  for (const [what, message] of Object.entries({
    'what is no announcement': { ...nothing, threads: [null] },
    'an announcement that everything has changed': { ...nothing, everything: true },
  })) {
    it(`drops everything after ${what}`, async () => {
      await storeBody(api.stores.mongo.collections, 'server/10', { name: 'Ten' });
      await api.get('/api/servers/10');
      expect(api.cache.size.entries).to.equal(1);
      const channel = `${api.stores.mongo.namespace}:announcements`;
      await api.stores.redis.publish(channel, JSON.stringify(message));
      await until(() => api.cache.size.entries === 0);
    });
  }
});
