import type { Collections } from './collections.js';
import { stateOf } from './state.js';
import { NEVER } from './work.js';

/** How the mirror stands. */
export interface MirrorStats {
  /** Files copied, and their bytes. */
  files: number;
  bytes: number;
  /** Files that are not copied: they are gone, too large, or could not be fetched yet. */
  failed: number;
  /** Threads, people and servers whose files are still to be looked at. */
  waiting: number;
  /** Why nothing is copied or removed now; null while nothing is wrong. */
  problem: string | null;
}

/** How the mirror stands; null where there is none. */
export async function mirrorStats(
  { state, work }: Pick<Collections, 'state' | 'work'>,
  options: { maxTimeMS?: number } = {},
): Promise<MirrorStats | null> {
  const [totals, waiting] = await Promise.all([
    stateOf(state, 'mirror').findOne({ _id: 'mirror' }, options),
    work.countDocuments({ kind: 'mirror', due: { $ne: NEVER } }, options),
  ]);
  // A mirror that was never reached has a problem, and was never looked through.
  if (totals?.settings === undefined && totals?.problem === undefined) return null;
  const { files, bytes, failed, problem = null } = totals;
  return { files, bytes, failed, waiting, problem };
}
