import { setTimeout as pause } from 'node:timers/promises';
import type { IndexerDeps } from '../../../services/indexer/deps.js';

/** What must never be seen. */
export interface Private {
  /** Threads that were never public so far. */
  threadIds: ReadonlySet<string>;
  /** Somebody who carries an opt-out role all the time. */
  userId: string;
}

const EVERY_MS = 50;

/** Looks all the time whether anything private is recorded or shown; gives a function that ends it, with what was seen. */
export function watchPrivacy(
  { collections }: IndexerDeps,
  { threadIds, userId }: Private,
): () => Promise<string[]> {
  const ended = new AbortController();
  const seen = new Set<string>();
  const looking = (async () => {
    while (!ended.signal.aborted) {
      const { threads, messages, contributions, threadItems } = collections;
      const [thread, message, part, item] = await Promise.all([
        threads.findOne({ _id: { $in: [...threadIds] } }),
        messages.findOne({ threadId: { $in: [...threadIds] } }),
        contributions.findOne({ userId }),
        threadItems.findOne({ item: { $regex: userId } }),
      ]);
      if (thread) seen.add(`Private thread ${thread._id} is recorded`);
      if (message) seen.add(`Message ${message._id} of a private thread is recorded`);
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
