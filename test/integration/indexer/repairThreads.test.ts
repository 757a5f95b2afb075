import { expect } from 'chai';
import { readOnceMore, repairThreads } from '../../../services/indexer/sync/repairThreads.js';
import type { LoadedServer, SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import { NOTHING_FETCHED, syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { until } from '../../support/apiServer.js';
import { anId } from '../../support/factories.js';
import { indexerSuite } from '../../support/suiteStores.js';

const HOUR_MS = 3_600_000;

describe('reading threads once more', () => {
  const { deps } = indexerSuite('emptied');
  const place = { serverId: anId(), channelId: anId() };
  const threads = () => syncOf(deps.collections.sync, 'thread');
  const hours = (count: number) => new Date(Date.now() + count * HOUR_MS);

  /** A thread that was read so many hours ago. Threads with a greater key were active later. */
  const aThread = (recent: string, readHoursAgo: number): SyncThread => ({
    _id: anId(),
    kind: 'thread',
    ...place,
    digest: '',
    asOf: 1,
    messageCount: 0,
    totalSent: 0,
    lastMessageId: null,
    ...NOTHING_FETCHED,
    recent,
    readAt: hours(-readHoursAgo),
  });

  /** Has threads read once more while events have been heard `since`, until a condition holds. */
  async function repairUntil(
    since: Date | null,
    isDone: () => boolean | Promise<boolean>,
    own: Pick<SyncDeps, 'collections'> = deps,
  ): Promise<void> {
    const stopped = new AbortController();
    const server = { ...place, channels: new Map([[place.channelId, {}]]) };
    const servers = new Map([[place.serverId, server as unknown as LoadedServer]]);
    const more = { signal: stopped.signal, servers, listening: { since } };
    const pace = { everyMs: 1, afterMs: 1_000 * HOUR_MS };
    const repairing = repairThreads({ ...deps, ...own, ...more } as unknown as SyncDeps, pace);
    try {
      await until(isDone);
    } finally {
      stopped.abort();
      await repairing;
    }
  }
  const asked = () => threads().distinct('_id', { todo: 'all', dueAt: { $exists: false } });

  /** Stores that call this after each look at what is to be fetched. */
  function withLooks(then: (found: SyncThread | null) => void | Promise<void>) {
    const { sync } = deps.collections;
    const looked = Object.create(sync, {
      findOne: {
        async value(...args: Parameters<typeof sync.findOne>) {
          const found = await sync.findOne(...args);
          if ('dueAt' in args[0]) await then(found as SyncThread | null);
          return found;
        },
      },
    }) as typeof sync;
    return { collections: { ...deps.collections, sync: looked } };
  }

  it('takes the most recently active one and the one that was read longest ago in turns', async () => {
    const keys = ['7', '9', '1', '2', '8'];
    const hoursAgo = [4, 1, 9, 2, 3];
    await threads().insertMany(keys.map((recent, n) => aThread(recent, hoursAgo[n]!)));
    const order: string[] = [];
    // Each thread is being read at one look, and was read at the next.
    const own = withLooks(async (found) => {
      if (!found) return;
      order.push(found.recent);
      const read = { $set: { readAt: hours(1) }, $unset: { todo: '' as const } };
      await threads().updateOne({ _id: found._id }, read);
    });
    await repairUntil(null, () => order.length === keys.length, own);
    expect(order).to.deep.equal(['9', '1', '8', '7', '2']);
  });

  it('takes none that was read since events are heard, that waits after a fault, or whose forum is not archived', async () => {
    const due = aThread('1', 3);
    const heard = aThread('9', 1);
    const failed: SyncThread = { ...aThread('8', 9), todo: 'all', dueAt: hours(1) };
    const hidden: SyncThread = { ...aThread('7', 9), channelId: anId() };
    await threads().insertMany([heard, failed, hidden, due]);
    await repairUntil(hours(-2), async () => (await asked()).length > 0);
    expect(await asked()).to.deep.equal([due._id]);
    expect(await threads().findOne({ _id: failed._id })).to.deep.equal(failed);
  });

  it('takes one that was read before the session that is heard began', async () => {
    const missed = aThread('1', -1);
    await threads().insertOne(missed);
    await repairUntil(hours(2), async () => (await asked()).length > 0);
  });

  it('takes none while another is to be fetched', async () => {
    const due = aThread('9', 9);
    const next: SyncThread = { ...aThread('1', 1), todo: 'new' };
    await threads().insertMany([due, next]);
    let looks = 0;
    const own = withLooks(() => {
      looks += 1;
    });
    await repairUntil(null, () => looks > 3, own);
    expect(await asked()).to.deep.equal([]);
  });

  it('begins at once where that is requested, even if the thread waits after a fault', async () => {
    const failed: SyncThread = { ...aThread('1', 1), todo: 'all', since: 1, dueAt: hours(1) };
    await threads().insertOne(failed);
    await readOnceMore(deps, failed._id);
    const now = await threads().findOne({ _id: failed._id });
    expect(now).to.include({ todo: 'all' }).and.not.have.any.keys('dueAt', 'since');
  });
});
