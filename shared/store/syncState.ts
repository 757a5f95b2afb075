import type { EventStats, SyncStats } from '../contract/admin.js';
import type { Collections } from './collections.js';
import { stateOf, type GatewayState, type SyncLease } from './state.js';
import { countThreads, progressOf } from './syncProgress.js';
import { syncOf } from './syncRecords.js';

/** The most servers, and the most forums, that are listed. */
const MOST_TOLD = 1_000;

/** The state of the sync; null where no indexer has a bot token. */
export async function syncState(
  collections: Pick<Collections, 'state' | 'sync' | 'optOuts'>,
): Promise<SyncStats | null> {
  const { state, sync, optOuts } = collections;
  const lease = await readLease(collections);
  if (!lease) return null;
  const [sums, gateway, optedOut, servers, channels] = await Promise.all([
    countThreads(collections),
    stateOf(state, 'gateway').findOne({ _id: 'gateway' }),
    optOuts.countDocuments({}),
    syncOf(sync, 'server').find({ kind: 'server' }).sort({ _id: 1 }).limit(MOST_TOLD).toArray(),
    syncOf(sync, 'channel').find({ kind: 'channel' }).sort({ _id: 1 }).limit(MOST_TOLD).toArray(),
  ]);
  const progress = progressOf(sums);
  const threads = new Map(
    sums.map(({ channelId, threads: found, left, failed }) => [
      channelId,
      { found, fetched: found - left, failed },
    ]),
  );
  const messagesLeft = progress.messages.found - progress.messages.fetched;
  const isDone = progress.threads.fetched === progress.threads.found;
  const perSecond = isDone ? 0 : lease.perSecond;
  return {
    ...progress,
    perSecond,
    secondsLeft: isDone ? 0 : perSecond > 0 ? Math.ceil(messagesLeft / perSecond) : null,
    problem: lease.problem ?? (lease.isAway ? lease.away!.problem : null),
    events: gateway && eventsState(gateway, lease),
    optedOut,
    servers: servers.map(({ _id: serverId, name, checkedAt, problem }) => ({
      serverId,
      name,
      checkedAt: checkedAt.toISOString(),
      problem,
    })),
    channels: channels.map(({ _id: channelId, serverId, name, checkedAt, problem }) => ({
      channelId,
      serverId,
      name,
      checkedAt: checkedAt.toISOString(),
      problem,
      threads: threads.get(channelId) ?? { found: 0, fetched: 0, failed: 0 },
    })),
  };
}

/** The lease, with what holds now by MongoDB's clock, because the clocks of processes differ. */
interface LeaseNow extends SyncLease {
  /** Whether some process holds it. */
  isHeld: boolean;
  /** Whether the status tells why the platform did not answer. */
  isAway: boolean;
}

/** Reads the lease; null where no indexer has a bot token. */
export function readLease({ state }: Pick<Collections, 'state'>): Promise<LeaseNow | null> {
  const isHeld = { $gt: ['$until', '$$NOW'] };
  const isAway = { $gt: ['$away.until', '$$NOW'] };
  return stateOf(state, 'sync')
    .aggregate<LeaseNow>([{ $match: { _id: 'sync' } }, { $set: { isHeld, isAway } }])
    .next();
}

/** The state of the connection; null where none was ever tried. */
export async function readEventsState({
  state,
}: Pick<Collections, 'state'>): Promise<EventStats | null> {
  const [lease, gateway] = await Promise.all([
    readLease({ state }),
    stateOf(state, 'gateway').findOne({ _id: 'gateway' }),
  ]);
  return lease && gateway && eventsState(gateway, lease);
}

/** Where nobody holds the lease, the process that was connected has ended without noting that. */
function eventsState(
  { connectedAt, lastEventAt, waiting, problem }: GatewayState,
  { isHeld }: LeaseNow,
): EventStats {
  return {
    connectedAt: (isHeld && connectedAt?.toISOString()) || null,
    lastEventAt: lastEventAt?.toISOString() ?? null,
    waiting,
    problem,
  };
}
