import { compareIds } from '../../views/tallyPeople.js';
import type { Recount } from './recount.js';

/** The body of a thread's participants (SPEC 4.7), from a count of its messages. */
export function participantsText(people: Recount['people']): string {
  const rows = [...people.values()]
    .sort(
      (left, right) =>
        right.messages - left.messages || compareIds(left.author.id, right.author.id),
    )
    .map(({ author, messages, firstAt, lastAt }) => ({
      userId: author.id,
      username: author.username,
      displayName: author.displayName,
      avatar: author.avatar,
      isBot: author.isBot,
      messageCount: messages,
      firstMessageAt: firstAt.toISOString(),
      lastMessageAt: lastAt.toISOString(),
    }));
  const bots = rows.filter(({ isBot }) => isBot).length;
  return JSON.stringify({
    total: rows.length,
    humans: rows.length - bots,
    bots,
    participants: rows,
  });
}
