import type { Collections } from '../../../shared/store/collections.js';
import { ERASED_ID, silenceThreads, tombstoneThread } from './tombstones.js';

/** Removes those threads of which an erasure left nothing: its author wrote all that was said. */
export async function removeIfEmptied(
  { threads, messages }: Pick<Collections, 'threads' | 'messages'>,
  threadIds: string[],
): Promise<void> {
  const disowned = await threads
    .find(
      { _id: { $in: threadIds }, ownerId: ERASED_ID, deleted: { $ne: true } },
      { projection: { _id: 1 } },
    )
    .toArray();
  for (const { _id } of disowned) {
    const said = { threadId: _id, counted: true, deleted: { $ne: true } };
    if (await messages.findOne(said, { projection: { _id: 1 } })) continue;
    await tombstoneThread(threads, _id);
    await silenceThreads(messages, [_id]);
  }
}
