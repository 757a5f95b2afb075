import { searchAlias } from '../../../shared/store/searchIndex.js';
import type { IndexerDeps } from '../deps.js';
import type { Report } from '../report.js';
import { settled } from '../work/runMarks.js';

/** What a deletion took away. */
export interface Removed {
  threads: number;
  messages: number;
}

export const NOTHING_REMOVED: Removed = { threads: 0, messages: 0 };

/**
 * Resolves when nothing of what was removed can be read: all that follows from its causes is done, search
 * shows it, and cached statistics of the servers and cached answers of searches are dropped.
 */
export async function awaitRemoval(
  deps: IndexerDeps,
  cause: string | readonly string[],
  serverIds: Iterable<string>,
  report?: Report,
): Promise<void> {
  let most = 0;
  await settled(deps, cause, (left) => {
    most = Math.max(most, left);
    report?.(most - left, most);
  });
  await deps.elasticsearch.indices.refresh({ index: searchAlias(deps.namespace) });
  for (const serverId of serverIds) await deps.announcer.dropStats(serverId);
  await deps.announcer.dropSearches();
}
