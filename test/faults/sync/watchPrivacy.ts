import { setTimeout as pause } from 'node:timers/promises';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { WHISPER } from './quietPeople.js';

/** What must never be seen. */
export interface Private {
  /** Threads that have never been public so far. */
  threadIds: ReadonlySet<string>;
  /** People who have an opt-out role all the time. More people may join. */
  userIds: ReadonlySet<string>;
}

const EVERY_MS = 50;

/**
 * Checks all the time whether anything private is recorded or shown. Returns a function that ends this, and resolves
 * with what was seen.
 */
export function watchPrivacy(
  { collections }: IndexerDeps,
  { threadIds, userIds }: Private,
): () => Promise<string[]> {
  const ended = new AbortController();
  const seen = new Set<string>();
  const looking = (async () => {
    while (!ended.signal.aborted) {
      const { threads, messages, contributions, threadItems } = collections;
      const people = [...userIds];
      const [thread, message, whispered, part, item] = await Promise.all([
        threads.findOne({ _id: { $in: [...threadIds] } }),
        messages.findOne({ threadId: { $in: [...threadIds] } }),
        messages.findOne({ content: WHISPER }),
        contributions.findOne({ userId: { $in: people } }),
        threadItems.findOne({ item: { $regex: people.join('|') } }),
      ]);
      // It may have become public while it was looked for.
      if (thread && threadIds.has(thread._id)) seen.add(`Private thread ${thread._id} is recorded`);
      if (message && threadIds.has(message.threadId)) {
        seen.add(`Message ${message._id} of a private thread is recorded`);
      }
      if (whispered) seen.add(`Message ${whispered._id} was for one person alone`);
      if (part) seen.add(`${part._id} shows somebody who is left out`);
      if (item) seen.add(`The list item of ${item._id} names somebody who is left out`);
      await pause(EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    ended.abort();
    await looking;
    return [...seen];
  };
}
