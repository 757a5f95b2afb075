import { setTimeout as pause } from 'node:timers/promises';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { WHISPER } from './quietPeople.js';

/** What must never be seen. */
export interface Private {
  /** Threads that have never been public so far. */
  threadIds: ReadonlySet<string>;
  /** People who are left out or erased. These sets may change. */
  people: readonly ReadonlySet<string>[];
  /** Servers, channels and threads that the operator has deleted. */
  placeIds: ReadonlySet<string>;
}

const EVERY_MS = 50;
/** It matches no text. */
const NOBODY = '$^';

/**
 * Checks all the time whether anything private is recorded or shown. Returns a function that ends this, and resolves
 * with what was seen.
 */
export function watchPrivacy(
  { collections }: IndexerDeps,
  { threadIds, people, placeIds }: Private,
): () => Promise<string[]> {
  const ended = new AbortController();
  const seen = new Set<string>();
  const looking = (async () => {
    while (!ended.signal.aborted) {
      const { threads, messages, contributions, threadItems } = collections;
      const hidden = people.flatMap((ids) => [...ids]);
      const isHidden = (id: string): boolean => people.some((ids) => ids.has(id));
      const gone = { $in: [...placeIds] };
      const isNamed = { item: { $regex: [NOBODY, ...hidden].join('|') } };
      const [thread, said, parts, items] = await Promise.all([
        threads.findOne({ _id: { $in: [...threadIds] } }),
        messages
          .find({ $or: [{ threadId: { $in: [...threadIds] } }, { content: WHISPER }] })
          .toArray(),
        contributions.find({ userId: { $in: hidden } }).toArray(),
        threadItems
          .find({ $or: [isNamed, { _id: gone }, { channelId: gone }, { serverId: gone }] })
          .toArray(),
      ]);
      // It may have become public while it was looked for.
      if (thread && threadIds.has(thread._id)) seen.add(`Private thread ${thread._id} is recorded`);
      for (const { _id, threadId, content } of said) {
        if (threadIds.has(threadId)) seen.add(`Message ${_id} of a private thread is recorded`);
        if (content === WHISPER) seen.add(`Message ${_id} was for one person alone`);
      }
      // Meanwhile they may have become people who may be shown.
      for (const { _id, userId } of parts.filter((one) => isHidden(one.userId))) {
        seen.add(`${_id} shows ${userId}, who is left out or erased`);
      }
      for (const { _id, item, channelId, serverId, revision } of items) {
        if (hidden.some((id) => isHidden(id) && item.includes(id))) {
          seen.add(`The list item of ${_id} names somebody who is left out or erased`);
        }
        const where = [_id, channelId, serverId].filter((id) => gone.$in.includes(id));
        if (where.length > 0) {
          seen.add(`${_id} is listed (${revision}), although ${where.join(', ')} was deleted here`);
        }
      }
      await pause(EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    ended.abort();
    await looking;
    return [...seen];
  };
}
