import type { ReactionRecord } from '../../../shared/store/records.js';
import { markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { markThread } from '../work/claims.js';
import { putReadAgain, readsOfReadAgain, type MessagePlace } from '../sync/readMessages.js';

type Emoji = ReactionRecord['emoji'];

/** What an event tells of a message's reactions. */
export type ReactionChange =
  | { kind: 'added'; emoji: Emoji }
  | { kind: 'removed'; emoji: Emoji; userId: string }
  | { kind: 'emojiCleared'; emoji: Emoji }
  | { kind: 'cleared' };

/** A change of a message's reactions, and the time that it is recorded with. */
interface Reacted {
  messageId: string;
  change: ReactionChange;
  asOf: number;
}

/**
 * Applies changes of reactions to the messages of one thread. A count may be wrong for a while, because an event may
 * come twice, or tell a reaction that an answer of the platform has already counted. So each of these messages is read
 * again soon. A message that is not recorded is read again, too: the platform may have answered before the reaction,
 * and this answer may not be recorded yet. Who has reacted is not recorded. The thread's mark is claimed for `owner`,
 * the caller, which builds the thread.
 */
export async function changeReactions(
  { commit }: Pick<IndexerDeps, 'commit'>,
  { owner, ...place }: Omit<MessagePlace, 'messageId'> & { owner: string },
  changes: readonly Reacted[],
): Promise<void> {
  const { threadId } = place;
  const messageIds = changes.map(({ messageId }) => messageId);
  await commit({
    reads: {
      messages: messageIds,
      work: [markId('thread', threadId)],
      ...readsOfReadAgain(messageIds),
    },
    decide(documents) {
      for (const { messageId, change, asOf } of changes) {
        const message = documents.get('messages', messageId);
        if (message?.deleted) continue;
        putReadAgain(documents, { ...place, messageId });
        if (!message) continue;
        const reactions = changed(message.reactions, change);
        const partsAsOf = { ...message.partsAsOf, reactions: asOf };
        documents.put('messages', { ...message, reactions, partsAsOf });
        markThread(documents, threadId, { owner });
      }
    },
  });
}

function changed(reactions: readonly ReactionRecord[], change: ReactionChange): ReactionRecord[] {
  if (change.kind === 'cleared') return [];
  const { emoji } = change;
  const others = reactions.filter((one) => !isOf(one, emoji));
  if (change.kind === 'emojiCleared') return others;
  const known = reactions.find((one) => isOf(one, emoji));
  if (change.kind === 'added') {
    if (!known) return [...reactions, { emoji, count: 1, userIds: [] }];
    return replaced(reactions, { ...known, count: known.count + 1 });
  }
  if (!known || known.count <= 1) return others;
  const count = known.count - 1;
  const userIds = known.userIds.filter((id) => id !== change.userId);
  // Where more people are named than have reacted, it is unknown which of them took the reaction back.
  return replaced(reactions, { ...known, count, userIds: userIds.length > count ? [] : userIds });
}

function replaced(
  reactions: readonly ReactionRecord[],
  reaction: ReactionRecord,
): ReactionRecord[] {
  return reactions.map((one) => (isOf(one, reaction.emoji) ? reaction : one));
}

function isOf({ emoji: { id, name } }: ReactionRecord, emoji: Emoji): boolean {
  return id === emoji.id && (id !== null || name === emoji.name);
}
