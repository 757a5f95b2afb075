import { applyErasures } from './applyErasures.js';
import type { Collections } from './collections.js';
import { forwardsOf, unshownForwards } from './forwards.js';
import type { MessageRecord } from './records.js';
import type { UnshownPeople } from './unshownPeople.js';

/** Some messages, divided into those that may be shown and those that may not. */
export interface JudgedMessages {
  /**
   * Messages that may be shown. Erased people are removed from them, and so are forwarded copies that may not be shown.
   * They do not tell either that a left-out person used a command or reacted.
   */
  shown: MessageRecord[];
  /** Messages whose authors are left out of the server. Erased people are removed from them. */
  leftOut: MessageRecord[];
  /** Messages whose records hold something of erased people, or forward something that was deleted or erased here. */
  unclean: MessageRecord[];
  /** Whether any message forwards another one. Deleted and erased messages do not count. */
  hasForwards: boolean;
  /** The ids of messages that forward something which may not be shown, and whose records keep it. */
  unshownForwards: string[];
}

/** Divides recorded messages of a server by the people who must not be shown. */
export async function withoutUnshown(
  collections: Pick<Collections, 'messages' | 'threads' | 'channels' | 'servers'>,
  people: UnshownPeople,
  serverId: string,
  messages: MessageRecord[],
): Promise<JudgedMessages> {
  const clean = messages.map((message) => applyErasures(message, people.erased));
  const said = clean.filter(({ deleted }) => !deleted);
  const isLeft = (userId: string): boolean => people.left.has(serverId, userId);
  const isLeftOut = ({ author }: MessageRecord): boolean => isLeft(author.id);
  const forwards = forwardsOf(said);
  const { hidden, gone } = await unshownForwards(collections, people, forwards);
  return {
    shown: said
      .filter((message) => !isLeftOut(message))
      .map((message) => (hidden.has(message._id) ? { ...message, forwarded: null } : message))
      .map((message) => withoutActionsOf(isLeft, message)),
    leftOut: said.filter(isLeftOut),
    unclean: messages.filter((message, n) => clean[n] !== message || gone.has(message._id)),
    hasForwards: forwards.length > 0,
    // The records of those in `gone` are emptied, so they forward nothing any more.
    unshownForwards: [...hidden].filter((id) => !gone.has(id)),
  };
}

/** A message without the ids of left-out people: of the one who used the command, and of those who reacted. */
function withoutActionsOf(
  isLeft: (userId: string) => boolean,
  message: MessageRecord,
): MessageRecord {
  const { interaction, reactions } = message;
  const isCommand = interaction !== null && isLeft(interaction.userId);
  if (!isCommand && !reactions.some(({ userIds }) => userIds.some(isLeft))) return message;
  return {
    ...message,
    interaction: isCommand ? null : interaction,
    reactions: reactions.map((reaction) => ({
      ...reaction,
      userIds: reaction.userIds.filter((id) => !isLeft(id)),
    })),
  };
}
