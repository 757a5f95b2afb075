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

/** The type of a message whose type a file names by a word that is not known here. */
export const UNKNOWN_MESSAGE_TYPE = -1;

/** The message type in a text-channel thread that stands for the message it was started from. */
export const THREAD_STARTER = 21;

/**
 * Types that count as something said: default (polls and forwarded messages too), reply, slash command, thread
 * starter, context menu. A poll's result (46) is a notice: the poll itself is a default message.
 */
const COUNTED = new Set([0, 19, 20, THREAD_STARTER, 23]);

/** Whether a message of this type counts as something said. */
export function isCounted(type: number): boolean {
  return COUNTED.has(type);
}

/** The platform's number of a message type that the exporter names by a word or by digits. */
export function messageTypeNumber(type: string | number): number {
  if (/^\d{1,3}$/.test(String(type))) return Number(type);
  return NUMBER_OF.get(String(type)) ?? UNKNOWN_MESSAGE_TYPE;
}

/** A message type as the exporter writes it. */
export function messageTypeName(type: number): string {
  if (type < 0) return 'Unknown';
  return NAME_OF.get(type) ?? String(type);
}
