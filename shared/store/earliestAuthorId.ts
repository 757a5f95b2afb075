import type { Collections } from './collections.js';

/**
 * The id of whoever wrote the earliest recorded message of a thread, whether that message may be shown or not.
 * ERASED_ID stands for the author of a message that was erased or deleted. Null where nobody has said anything. Where
 * neither the starter message nor an owner of a thread is recorded, this person counts as having started it. Exports
 * tell neither of a thread in a text channel: its starter message stands in that channel.
 */
export async function earliestAuthorId(
  { messages }: Pick<Collections, 'messages'>,
  threadId: string,
): Promise<string | null> {
  const earliest = await messages
    .find({ threadId, counted: true }, { projection: { 'author.id': 1 } })
    .sort({ order: 1 })
    .limit(1)
    .next();
  return earliest?.author.id ?? null;
}
