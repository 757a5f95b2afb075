import type { Collections } from '../../../shared/store/collections.js';
import { earliestAuthorId } from '../../../shared/store/earliestAuthorId.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import type { UnshownPeople } from '../../../shared/store/unshownPeople.js';

const SAID = { counted: true, deleted: { $ne: true } };

/** What may be shown of a thread's start. */
export interface Start {
  /**
   * Whether the person who started it must not be shown. It is the author of the message whose id is the thread's, or
   * the recorded owner. Where neither is recorded, it is the author of the earliest message.
   */
  isOwnerUnshown: boolean;
}

/**
 * Reads the authors of a thread up to the first who may be shown. Resolves with null where nothing of the thread may be
 * shown, because all of its authors must not be shown.
 */
export async function findStart(
  { messages }: Pick<Collections, 'messages'>,
  { _id: threadId, serverId, ownerId }: ThreadRecord,
  unshown: UnshownPeople,
): Promise<Start | null> {
  if (unshown.isEmpty && ownerId !== undefined) return { isOwnerUnshown: false };
  const starter = await messages.findOne({ _id: threadId, threadId, ...SAID });
  const known = [ownerId, starter?.author.id].filter((id) => id !== undefined);
  const starters = known.length > 0 ? known : [await earliestAuthorId({ messages }, threadId)];
  const isOwnerUnshown = starters.some((id) => id === ERASED_ID || unshown.has(serverId, id ?? ''));
  if (unshown.isEmpty) return { isOwnerUnshown };
  let isSomebodyUnshown = isOwnerUnshown;
  const said = messages
    .find({ threadId, ...SAID })
    .sort({ order: 1 })
    .project<{ author: { id: string } }>({ 'author.id': 1 });
  for await (const { author } of said) {
    if (!unshown.has(serverId, author.id)) return { isOwnerUnshown };
    isSomebodyUnshown = true;
  }
  return isSomebodyUnshown ? null : { isOwnerUnshown };
}
