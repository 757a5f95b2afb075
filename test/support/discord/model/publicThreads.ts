import type { Channel } from './entities.js';
import type { PublicThread } from './model.js';
import { isPublic } from './permissions.js';
import { need, type State } from './state.js';
import { isForum } from './threadOperations.js';

/** All forum posts that everybody may read, in channels and guilds that are neither for adults nor for spoilers. */
export function publicThreads(state: State): PublicThread[] {
  const forums = new Set(publicForums(state));
  return [...state.threads.values()].flatMap((thread) => {
    const channel = need(state.channels, thread.parentId, 'channel');
    if (!forums.has(channel)) return [];
    const guild = need(state.guilds, thread.guildId, 'guild');
    return [{ guild, channel, thread, messages: state.messages.get(thread.id)?.ordered ?? [] }];
  });
}

/** All forums whose posts everybody may read. */
export function publicForums(state: State): Channel[] {
  return [...state.channels.values()].filter((channel) => {
    const guild = need(state.guilds, channel.guildId, 'guild');
    const isForAdults = channel.isNsfw || guild.nsfwLevel === 1 || guild.nsfwLevel === 3;
    return isForum(channel) && !isForAdults && !channel.isSpoiler && isPublic(state, channel.id);
  });
}
