import type { IndexerDeps } from '../deps.js';
import { markDirty } from '../stores/dirtyMarks.js';
import { showSimilar, threadsShowing } from './showSimilar.js';

/**
 * Has similar threads refreshed after a thread's views were stored and before its mark goes: its own, and where it is
 * shown. One that is no longer listed is taken out at once wherever it is shown.
 */
export async function noteThread(
  deps: Pick<IndexerDeps, 'collections' | 'announcer'>,
  threadId: string,
  isListed: boolean,
): Promise<void> {
  const { similarMarks } = deps.collections;
  const showing = await threadsShowing(deps, threadId);
  if (isListed) {
    const shown = showing.map((id) => `shown/${id}`);
    return markDirty(similarMarks, [`similar/${threadId}`, ...shown]);
  }
  await showSimilar(deps, [threadId, ...showing]);
  await markDirty(
    similarMarks,
    showing.map((id) => `similar/${id}`),
  );
}
