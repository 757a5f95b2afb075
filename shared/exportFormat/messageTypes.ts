/** The type of a notice that tells a thread's new title. */
export const TITLE_CHANGE = 4;

const NAMES = {
  Default: 0,
  RecipientAdd: 1,
  RecipientRemove: 2,
  Call: 3,
  ChannelNameChange: TITLE_CHANGE,
  ChannelIconChange: 5,
  ChannelPinnedMessage: 6,
  GuildMemberJoin: 7,
  ThreadCreated: 18,
  Reply: 19,
  PollResult: 46,
};

const NUMBER_OF = new Map(Object.entries(NAMES));
const NAME_OF = new Map(Object.entries(NAMES).map(([name, number]) => [number, name]));

/** Stands for a type that a file names by an unknown word. */
export const UNKNOWN_MESSAGE_TYPE = -1;

/** The type of the message in a text-channel thread that stands for the message from which the thread was started. */
export const THREAD_STARTER = 21;

/**
 * Types that count as something said: default (including polls and forwarded messages), reply, slash command, thread
 * starter, context menu. The result of a poll (46) is a notice, as the poll itself is a default message.
 */
const COUNTED = new Set([0, 19, 20, THREAD_STARTER, 23]);

/** Whether a message of this type counts as something said. */
export function isCounted(type: number): boolean {
  return COUNTED.has(type);
}

/** The platform's number of a message type. The exporter names it by a word, or by digits. */
export function messageTypeNumber(type: string | number): number {
  if (/^\d{1,3}$/.test(String(type))) return Number(type);
  return NUMBER_OF.get(String(type)) ?? UNKNOWN_MESSAGE_TYPE;
}

/** The exporter's name of a message type. */
export function messageTypeName(type: number): string {
  if (type < 0) return 'Unknown';
  return NAME_OF.get(type) ?? String(type);
}
