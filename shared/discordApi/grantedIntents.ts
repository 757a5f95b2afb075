import type { LiveApplication } from './answerTypes.js';

/** The two privileged intents that are used. Each has two flags: one for small bots, and one for verified bots. */
const MEMBERS = (1 << 14) | (1 << 15);
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

/** Which privileged intents the developer portal grants a bot. */
export interface GrantedIntents {
  messageContent: boolean;
  guildMembers: boolean;
}

/** Reads the privileged intents of a bot from the flags of its application. */
export function grantedIntents({ flags = 0 }: Pick<LiveApplication, 'flags'>): GrantedIntents {
  return {
    messageContent: (flags & MESSAGE_CONTENT) !== 0,
    guildMembers: (flags & MEMBERS) !== 0,
  };
}

/** What to do about a bot that may not read what messages say. */
export const LACKS_MESSAGE_CONTENT =
  'The bot lacks the Message Content intent: turn it on in the developer portal, under Bot';
