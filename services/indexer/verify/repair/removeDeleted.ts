import { forEachAtOnce } from '../../../../shared/platform/forEachAtOnce.js';
import type { IndexerDeps } from '../../deps.js';
import { replaceThread } from '../../build/cleanRecords.js';
import { HAS_WORDS, REDACTED } from '../../../../shared/store/redacted.js';
import { threadTombstone } from '../../records/tombstones.js';
import type { Difference } from '../difference.js';
import { rebuildThreads } from './rebuildThreads.js';

/** So many records are replaced at the same time, so that they go into the same transactions. */
const MOST_AT_ONCE = 64;

/**
 * Completes deletions of threads, or of single messages, that were carried out only in part. The build of a deleted
 * thread empties its messages. Where only messages are concerned, the thread is not built again, because no view shows
 * deleted messages.
 */
export async function removeDeleted(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { messages } = deps.collections;
  const threadIds = found.map(({ id }) => id);
  await messages.updateMany(
    { threadId: { $in: threadIds }, deleted: true, ...HAS_WORDS },
    { $set: REDACTED },
  );
  const whole = found.filter(({ clue }) => !clue?.messagesOnly);
  // The record may be marked as deleted and still hold a title.
  await forEachAtOnce(whole, MOST_AT_ONCE, async ({ id }) => {
    await replaceThread(deps, id, ({ deleted: _deleted, ...thread }) => threadTombstone(thread));
  });
  await rebuildThreads(deps, whole);
}
