import type { IndexerDeps } from '../../deps.js';
import { silenceThreads, tombstoneThread } from '../../records/tombstones.js';
import type { Difference } from '../difference.js';
import { rebuildThreads } from './rebuildThreads.js';

/** Carries out a deletion that was left half done. */
export async function removeDeleted(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { threads, messages } = deps.collections;
  for (const { id } of found) await tombstoneThread(threads, id);
  await silenceThreads(
    messages,
    found.map(({ id }) => id),
  );
  await rebuildThreads(deps, found);
}
