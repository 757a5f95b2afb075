import type { LoopKind } from '../../../shared/store/work.js';
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
 * Resolves when readers see what follows from a cause, or from any of some: nothing can be read any more of what was
 * removed. First it does all marks that name one of the causes. Then it refreshes the search index. Last it drops cached
 * statistics of the servers, and cached answers of searches. With `kind`, it does only the marks of that kind, and drops
 * no statistics: they are counted later. Rejects when the signal is aborted while other workers hold what is left.
 */
export async function settleAndRefresh(
  deps: IndexerDeps,
  cause: string | readonly string[],
  serverIds: Iterable<string>,
  { report, ...which }: { report?: Report; signal?: AbortSignal; kind?: LoopKind | undefined } = {},
): Promise<void> {
  let most = 0;
  const onLeft = (left: number): void => {
    most = Math.max(most, left);
    report?.(most - left, most);
  };
  await settled(deps, cause, onLeft, which);
  await deps.elasticsearch.indices.refresh({ index: searchAlias(deps.namespace) });
  if (!which.kind) for (const serverId of serverIds) await deps.announcer.dropStats(serverId);
  await deps.announcer.dropSearches();
}
