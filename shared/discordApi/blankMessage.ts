import type { LiveMessage, LiveSnapshot } from './answerTypes.js';

/**
 * The types of messages that always say something: ordinary ones, new titles of threads, replies, answers to commands,
 * and results of polls.
 */
const SAYING = new Set([0, 4, 19, 20, 23, 46]);

/**
 * Whether a message says nothing, as it would without the Message Content intent. The platform also tells stickers
 * without the intent, and that a message forwards another one. So a message whose words are missing may have a sticker,
 * or an empty copy.
 */
export function isBlank(message: LiveMessage): boolean {
  const copies = (message.message_snapshots ?? []).map((snapshot) => snapshot.message);
  return SAYING.has(message.type) && !message.poll && [message, ...copies].every(saysNothing);
}

function saysNothing({ content, attachments, embeds, components }: LiveSnapshot): boolean {
  return !content && [attachments, embeds, components].every((parts) => !parts?.length);
}
