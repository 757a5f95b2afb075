import {
  grantedIntents,
  type GrantedIntents,
  LACKS_MESSAGE_CONTENT,
} from '../../../shared/discordApi/grantedIntents.js';
import { applicationRequest } from '../../../shared/discordApi/requests.js';
import type { SyncDeps } from './syncDeps.js';
import { SyncProblem } from './syncProblem.js';

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
