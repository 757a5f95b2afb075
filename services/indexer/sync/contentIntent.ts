import type { LiveMessage, LiveSnapshot } from '../../../shared/discordApi/answerTypes.js';
import {
  grantedIntents,
  type GrantedIntents,
  LACKS_MESSAGE_CONTENT,
} from '../../../shared/discordApi/grantedIntents.js';
import { applicationRequest } from '../../../shared/discordApi/requests.js';
import type { SyncDeps } from './syncDeps.js';
import { SyncProblem } from './syncProblem.js';

/**
 * The types of messages that always say something: ordinary ones, new titles of threads, replies, answers to commands,
 * and results of polls.
 */
const SAYING = new Set([0, 4, 19, 20, 23, 46]);

/**
 * Resolves with the intents that the bot is allowed. Throws SyncProblem where the bot may not read the content of
 * messages. In this case the platform sends them blank.
 */
export async function requireContentIntent({
  platform,
  signal,
}: Pick<SyncDeps, 'platform' | 'signal'>): Promise<GrantedIntents> {
  const { value: application } = await platform.get(applicationRequest, signal);
  const granted = grantedIntents(application);
  if (!granted.messageContent) throw new SyncProblem(LACKS_MESSAGE_CONTENT);
  return granted;
}

/**
 * Whether a message says nothing, as it would without the intent. The platform also tells stickers without the
 * intent, and that a message forwards another one. So a message whose words are missing may have a sticker, or an empty
 * copy.
 */
export function isBlank(message: LiveMessage): boolean {
  const copies = (message.message_snapshots ?? []).map((snapshot) => snapshot.message);
  return SAYING.has(message.type) && !message.poll && [message, ...copies].every(saysNothing);
}

function saysNothing({ content, attachments, embeds, components }: LiveSnapshot): boolean {
  return !content && [attachments, embeds, components].every((parts) => !parts?.length);
}
