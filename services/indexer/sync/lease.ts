import type { Collections } from '../../../shared/store/collections.js';
import { stateOf } from '../../../shared/store/state.js';

/** A lease that is not renewed for so long is free (ms): its process has ended. */
export const LEASE_MS = 20_000;
/** Nobody lets the lease be free for so long (ms) who has a token: with a problem, they take it again each minute. */
const UNUSED_MS = 3 * 60_000;

/**
 * Takes the lease, or renews it; `perSecond` is told with it. Resolves with whether `holder` has it. Times are by
 * MongoDB's clock, as those of processes differ.
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

/** Gives the lease up, so that another process need not wait for its end. */
export async function releaseLease(
  { state }: Pick<Collections, 'state'>,
  holder: string,
): Promise<void> {
  await stateOf(state, 'sync').updateOne({ _id: 'sync', holder }, { $set: { until: new Date(0) } });
}

/**
 * Forgets how the sync stands, where nobody has used the lease for a while, or it was given up. Indexers without a bot's
 * token call this: where the token was taken out of their settings, nobody else would end the problem that was noted last.
 */
export async function forgetLease({ state }: Pick<Collections, 'state'>): Promise<void> {
  const isUnused = { $lt: [{ $add: ['$until', UNUSED_MS] }, '$$NOW'] };
  await stateOf(state, 'sync').deleteOne({ _id: 'sync', $expr: isUnused });
}
