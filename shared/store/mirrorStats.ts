import type { MirrorStats } from '../contract/admin.js';
import type { Collections } from './collections.js';
import { stateOf, type MirrorState } from './state.js';
import { NEVER } from './work.js';

/** A failed attempt is made again within this time (ms). So after so long without a failure, all is well again. */
const FAILS_AGAIN_MS = 5 * 60_000;
const FAILED = 'Copies could not be removed or looked through: the log of the indexer says why';

/** How the mirror stands; null where there is none. */
export async function mirrorStats({
  state,
  work,
}: Pick<Collections, 'state' | 'work'>): Promise<MirrorStats | null> {
  const [totals, waiting] = await Promise.all([
    readTotals(state),
    work.countDocuments({ kind: 'mirror', due: { $ne: NEVER } }),
  ]);
  if (!totals) return null;
  const { files, bytes, failed, isFailing, settings } = totals;
  const problem = totals.problem ?? (isFailing ? FAILED : null);
  // Without `settings` and without a problem, there is no mirror. A mirror that was never reached has a problem.
  if (settings === undefined && problem === null) return null;
  return { files, bytes, failed, waiting, problem };
}

/** Reads what the mirror holds, and whether something failed lately. MongoDB's clock tells that: clocks differ. */
function readTotals(
  state: Collections['state'],
): Promise<(MirrorState & { isFailing: boolean }) | null> {
  const isFailing = { $gt: ['$failedAt', { $subtract: ['$$NOW', FAILS_AGAIN_MS] }] };
  return stateOf(state, 'mirror')
    .aggregate<MirrorState & { isFailing: boolean }>([
      { $match: { _id: 'mirror' } },
      { $set: { isFailing } },
    ])
    .next();
}
