import type { LiveApplication } from './answerTypes.js';

/** The intents that matter here. Each has two flags: one of small bots, one of those that the platform has verified. */
const MEMBERS = (1 << 14) | (1 << 15);
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

/** Which privileged intents the developer portal grants a bot. */
export interface GrantedIntents {
  messageContent: boolean;
  guildMembers: boolean;
}

/** The privileged intents of a bot, by its application's flags. */
export function grantedIntents({ flags = 0 }: Pick<LiveApplication, 'flags'>): GrantedIntents {
  return {
    messageContent: (flags & MESSAGE_CONTENT) !== 0,
    guildMembers: (flags & MEMBERS) !== 0,
  };
}

/** What to do about a bot that may not read what messages say. */
export const LACKS_MESSAGE_CONTENT =
  'The bot lacks the Message Content intent: turn it on in the developer portal, under Bot';
