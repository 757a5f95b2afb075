import { batches } from '../../../shared/platform/batches.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { foldThread, type FoldedMessages, type ThreadViews } from '../views/foldThread.js';
import { linkTargets, loadThread } from './loadThread.js';
import { MESSAGE_BATCH } from './messageBatch.js';

/** Receives a thread's views while its messages are read. One sink stores them, one sends them to an index, one compares them. */
export interface ThreadSink {
  /** Called before the first messages, with the beginning of the thread's body. */
  begin?(opening: string): Promise<void>;
  add(folded: FoldedMessages, messages: readonly MessageRecord[]): Promise<void>;
}

/**
 * Reads a thread's records once and folds them into a sink. Resolves with the rest of its views; with null when nothing
 * of it may be shown: it was deleted, nothing is said in it, or its channel is not recorded.
 */
export async function readThread(
  { collections, resolvedTags }: Pick<IndexerDeps, 'collections' | 'resolvedTags'>,
  thread: ThreadRecord,
  sink: ThreadSink,
): Promise<ThreadViews | null> {
  const loaded = await loadThread(collections, thread, resolvedTags);
  if (!loaded) return null;
  const fold = foldThread(loaded.model);
  await sink.begin?.(fold.opening);
  for await (const batch of batches(loaded.messages, MESSAGE_BATCH)) {
    await sink.add(fold.add(batch, await linkTargets(collections, thread, batch)), batch);
  }
  return fold.end();
}
