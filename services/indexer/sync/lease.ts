import type { Collections } from '../../../shared/store/collections.js';
import { stateOf } from '../../../shared/store/state.js';

/** After this time (ms) without being renewed, a lease is free, because its process has ended. */
export const LEASE_MS = 20_000;
/** An indexer with a token takes the lease at least once a minute. After this time (ms), no indexer has a token. */
const UNUSED_MS = 3 * 60_000;

/**
 * Takes the lease, or renews it, and stores `perSecond` with it. Resolves with whether `holder` has the lease. Times
 * are by MongoDB's clock, because the clocks of processes differ.
 */
export async function holdLease(
  { state }: Pick<Collections, 'state'>,
  holder: string,
  perSecond = 0,
): Promise<boolean> {
  const isOwn = { $eq: ['$holder', holder] };
  const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
  const ifTaken = (taken: unknown, otherwise: unknown) => ({
    $cond: [{ $or: [isOwn, isFree] }, taken, otherwise],
  });
  const lease = await stateOf(state, 'sync').findOneAndUpdate(
    { _id: 'sync' },
    [
      {
        $set: {
          holder: ifTaken(holder, '$holder'),
          perSecond: ifTaken(perSecond, '$perSecond'),
          until: ifTaken({ $add: ['$$NOW', LEASE_MS] }, '$until'),
          // Another process may have another token, or other settings.
          problem: { $cond: [isOwn, '$problem', ifTaken(null, '$problem')] },
        },
      },
    ],
    { upsert: true, returnDocument: 'after' },
  );
  return lease?.holder === holder;
}

/** Gives the lease up, so that another process need not wait until it ends. */
export async function releaseLease(
  { state }: Pick<Collections, 'state'>,
  holder: string,
): Promise<void> {
  await stateOf(state, 'sync').updateOne({ _id: 'sync', holder }, { $set: { until: new Date(0) } });
}

/**
 * Forgets the state of the sync, where the lease was given up, or nobody has used it for a while. Indexers without a
 * bot token call this. After the token was removed from the settings, nobody else would remove the last noted problem.
 */
export async function forgetLease({ state }: Pick<Collections, 'state'>): Promise<void> {
  const isUnused = { $lt: [{ $add: ['$until', UNUSED_MS] }, '$$NOW'] };
  await stateOf(state, 'sync').deleteOne({ _id: 'sync', $expr: isUnused });
}
