import type { Collections } from './collections.js';
import { stateOf } from './state.js';
import { NEVER } from './work.js';

/** How the mirror stands. */
export interface MirrorStats {
  /** Files copied, and their bytes. */
  files: number;
  bytes: number;
  /** Files that are not copied, because they are gone, too large, or could not be fetched yet. */
  failed: number;
  /** Threads, people and servers whose files are still to be checked. */
  waiting: number;
  /** Why nothing is copied or removed now, or was lately; null while nothing is wrong. */
  problem: string | null;
}

/** A failed attempt is made again within this time (ms). So after so long without a failure, all is well again. */
const FAILS_AGAIN_MS = 5 * 60_000;
const FAILED = 'Copies could not be removed or looked through: the log of the indexer says why';

/** How the mirror stands; null where there is none. */
export async function mirrorStats(
  { state, work }: Pick<Collections, 'state' | 'work'>,
  options: { maxTimeMS?: number } = {},
): Promise<MirrorStats | null> {
  const [totals, waiting] = await Promise.all([
    stateOf(state, 'mirror').findOne({ _id: 'mirror' }, options),
    work.countDocuments({ kind: 'mirror', due: { $ne: NEVER } }, options),
  ]);
  if (!totals) return null;
  const { files, bytes, failed, failedAt, settings } = totals;
  const isFailing = failedAt !== undefined && Date.now() - failedAt.getTime() < FAILS_AGAIN_MS;
  const problem = totals.problem ?? (isFailing ? FAILED : null);
  // Without `settings` and without a problem, there is no mirror. A mirror that was never reached has a problem.
  if (settings === undefined && problem === null) return null;
  return { files, bytes, failed, waiting, problem };
}
