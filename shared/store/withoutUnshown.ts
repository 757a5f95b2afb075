import type { Collections } from './collections.js';
import { forwardsOf, unshownForwards, type UnshownForwards } from './forwards.js';
import type { MessageRecord } from './records.js';
import type { UnshownPeople } from './unshownPeople.js';

/**
 * Messages of a server as they may be shown: without those of people who must not be shown, which are `hidden`, and
 * without what others forward that may not be read itself. `forwards` names all that do, whoever wrote them.
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
