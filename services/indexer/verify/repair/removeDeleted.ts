import type { IndexerDeps } from '../../deps.js';
import { replaceThread } from '../../build/cleanRecords.js';
import { HAS_WORDS, REDACTED } from '../../../../shared/store/redacted.js';
import { redactThreads, threadTombstone } from '../../records/tombstones.js';
import type { Difference } from '../difference.js';
import { rebuildThreads } from './rebuildThreads.js';

/** Carries out a deletion that was left half done: of threads, or of messages alone, which no view shows. */
export async function removeDeleted(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { messages } = deps.collections;
  const threadIds = found.map(({ id }) => id);
  await messages.updateMany(
    { threadId: { $in: threadIds }, deleted: true, ...HAS_WORDS },
    { $set: REDACTED },
  );
  const whole = found.filter(({ clue }) => !clue?.messagesOnly);
  for (const { id } of whole) {
    // It may say that it is deleted, and hold a title all the same.
    await replaceThread(deps, id, ({ deleted: _deleted, ...thread }) => threadTombstone(thread));
  }
  await redactThreads(
    messages,
    whole.map(({ id }) => id),
  );
  await rebuildThreads(deps, whole);
}
