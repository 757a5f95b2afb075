import { batches } from '../../../shared/platform/batches.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { MESSAGE_BATCH } from '../../../shared/store/messageBatch.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { UnshownPeople } from '../../../shared/store/unshownPeople.js';
import { withoutUnshown } from '../../../shared/store/withoutUnshown.js';
import type { IndexerDeps } from '../deps.js';
import { foldThread, type FoldedMessages, type ThreadViews } from '../views/foldThread.js';
import { linkTargets } from './linkTargets.js';
import { loadThread } from './loadThread.js';

/**
 * Receives a thread's views while its messages are read. One sink stores them, one sends them to an index, one compares
 * them.
 */
export interface ThreadSink {
  /** Called before the first messages, with the beginning of the thread's body. */
  begin?(opening: string): Promise<void>;
  /** Called with messages in which something is left of erased people or deleted messages, before they are folded. */
  clean?(messages: readonly MessageRecord[], erased: ErasedPeople): Promise<void>;
  /** Called with messages that are recorded, and are not shown because their authors are left out. */
  leaveOut?(messages: readonly MessageRecord[]): Promise<void>;
  add(folded: FoldedMessages): Promise<void>;
}

/** The views that are complete when all messages have been read, and whether any of the messages forwards another. */
export interface ReadViews extends ThreadViews {
  hasForwards: boolean;
}

/**
 * Reads a thread's messages in batches, and gives the views of each batch to a sink. Before that, it takes out of the
 * batch what erased people left in it, and what was written by people who are left out of the server. So nothing that
 * is built can show it. Resolves with the other views, of this version. Resolves with null when nothing of the thread
 * may be shown: it was deleted, nothing that may be shown was said in it, or its channel is deleted, withheld or not
 * recorded.
 */
export async function readThread(
  { collections, resolvedTags, links }: Pick<IndexerDeps, 'collections' | 'resolvedTags' | 'links'>,
  thread: ThreadRecord,
  { version, unshown }: { version: number; unshown: UnshownPeople },
  sink: ThreadSink,
): Promise<ReadViews | null> {
  const loaded = await loadThread(collections, thread, unshown, { resolvedTags, links, version });
  if (!loaded) return null;
  const fold = foldThread(loaded.model);
  let hasForwards = false;
  const unshownForwards: string[] = [];
  await sink.begin?.(fold.opening);
  for await (const batch of batches(loaded.messages, MESSAGE_BATCH)) {
    const judged = await withoutUnshown(collections, unshown, thread.serverId, batch);
    const { shown, leftOut, unclean } = judged;
    if (unclean.length > 0) await sink.clean?.(unclean, unshown.erased);
    if (leftOut.length > 0) await sink.leaveOut?.(leftOut);
    hasForwards ||= judged.hasForwards;
    unshownForwards.push(...judged.unshownForwards);
    if (shown.length === 0) continue;
    await sink.add(fold.add(shown, await linkTargets(collections, thread, shown)));
  }
  return { ...fold.end(unshownForwards), hasForwards };
}
