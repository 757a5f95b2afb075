import type { Collections } from './collections.js';
import { forwardsOf, unshownForwards, type UnshownForwards } from './forwards.js';
import type { MessageRecord } from './records.js';
import type { UnshownPeople } from './unshownPeople.js';

/**
 * Divides messages of a server into those that may be shown and those of people who must not be shown (`hidden`). A
 * message that forwards what may not be shown comes without it. `forwards` tells which do, hidden messages included.
 */
export async function withoutUnshown(
  collections: Pick<Collections, 'messages' | 'threads' | 'channels' | 'servers'>,
  people: Pick<UnshownPeople, 'has'>,
  serverId: string,
  messages: MessageRecord[],
): Promise<{ shown: MessageRecord[]; hidden: MessageRecord[]; forwards: UnshownForwards }> {
  const isHidden = ({ author }: MessageRecord): boolean => people.has(serverId, author.id);
  const others = messages.filter((message) => !isHidden(message));
  const forwards = await unshownForwards(collections, people, forwardsOf(messages));
  const shown = others.map((message) =>
    forwards.hidden.has(message._id) ? { ...message, forwarded: null } : message,
  );
  return { shown, hidden: messages.filter(isHidden), forwards };
}
