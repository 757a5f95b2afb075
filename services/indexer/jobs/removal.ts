import { batches } from '../../../shared/platform/batches.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
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

/** How many of some threads, and how many messages in these, are not deleted. */
export async function countThreads(
  { collections: { threads, messages } }: IndexerDeps,
  which: Partial<Pick<ThreadRecord, '_id' | 'channelId' | 'serverId'>>,
): Promise<Removed> {
  const removed = { ...NOTHING_REMOVED };
  const alive = { deleted: { $ne: true } };
  const found = threads.find({ ...which, ...alive }, { projection: { _id: 1 } });
  for await (const batch of batches(found)) {
    const threadId = { $in: batch.map(({ _id }) => _id) };
    removed.threads += batch.length;
    removed.messages += await messages.countDocuments({ threadId, ...alive });
  }
  return removed;
}

/** A recorded deletion: the server of what was deleted, and the cause of the marks by which its views are removed. */
export interface RecordedDeletion {
  serverId: string;
  cause: string;
}

/**
 * Does all that follows from one or several causes. First it waits until all marks of these causes are done, and does
 * those that nobody else does. Then it refreshes the search index. Last it announces the end to the API processes. They
 * drop the statistics of the servers, the profiles of `users` and all answers of searches from their caches. A worker
 * that removed a profile may have been killed before it announced that, so the profiles are announced here once more.
 * Readers then cannot read any more what was removed. With `kind`, only the marks of that kind are done, and the
 * statistics stay in the caches, because the servers are counted later.
 *
 * Rejects while a store or Redis is away, and when the signal is aborted while other workers hold marks.
 */
export async function settleAndRefresh(
  deps: IndexerDeps,
  cause: string | readonly string[],
  serverIds: Iterable<string>,
  {
    report,
    users = [],
    ...which
  }: { report?: Report; users?: string[]; kind?: LoopKind | undefined } = {},
): Promise<void> {
  let most = 0;
  const onLeft = (left: number): void => {
    most = Math.max(most, left);
    report?.(most - left, most);
  };
  await settled(deps, cause, report && onLeft, which);
  await deps.elasticsearch.indices.refresh({ index: searchAlias(deps.namespace) });
  await deps.announcer.announceNow(which.kind ? {} : { statistics: [...serverIds], users });
}
