import type { Collections } from '../../../shared/store/collections.js';
import { findGathered } from '../../../shared/store/gather.js';
import { slices } from './slices.js';
import { ERASED_ID, redactThreads, tombstoneThread } from './tombstones.js';

type Records = Pick<Collections, 'threads' | 'messages'>;

/** Removes those threads that an erasure has emptied, because the erased person wrote every message. Returns how many. */
export async function removeIfEmptied(records: Records, threadIds: string[]): Promise<number> {
  let removed = 0;
  for (const some of slices(threadIds)) removed += await removeEmptied(records, some);
  return removed;
}

async function removeEmptied({ threads, messages }: Records, threadIds: string[]): Promise<number> {
  let removed = 0;
  const found = await Promise.all(threadIds.map((threadId) => findGathered(threads, threadId)));
  const disowned = found.filter(
    (thread): thread is NonNullable<typeof thread> =>
      thread !== null && thread.ownerId === ERASED_ID && !thread.deleted,
  );
  for (const { _id } of disowned) {
    const said = { threadId: _id, counted: true, deleted: { $ne: true } };
    if (await messages.findOne(said, { projection: { _id: 1 } })) continue;
    await tombstoneThread(threads, _id);
    await redactThreads(messages, [_id]);
    removed += 1;
  }
  return removed;
}
