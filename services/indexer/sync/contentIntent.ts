import type { LiveMessage } from '../../../shared/discordApi/answerTypes.js';
import {
  grantedIntents,
  type GrantedIntents,
  LACKS_MESSAGE_CONTENT,
} from '../../../shared/discordApi/grantedIntents.js';
import { applicationRequest } from '../../../shared/discordApi/requests.js';
import type { SyncDeps } from './syncDeps.js';
import { SyncProblem } from './syncProblem.js';

/** The types of messages that people write: ordinary ones, and replies. */
const SAID = new Set([0, 19]);

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

/** Whether a message says nothing at all, as it would without the intent. */
export function isBlank(message: LiveMessage): boolean {
  const { attachments = [], embeds = [], components = [], sticker_items: stickers = [] } = message;
  const parts = [...attachments, ...embeds, ...components, ...stickers];
  return (
    SAID.has(message.type) &&
    message.content === '' &&
    parts.length === 0 &&
    !message.poll &&
    !message.message_snapshots?.length
  );
}
