import type { PublicThread } from './model.js';
import { isPublic } from './permissions.js';
import { need, type State } from './state.js';
import { isForum } from './threadOperations.js';

/** All forum posts that everybody may read, in channels and guilds that are neither for adults nor for spoilers. */
export function publicThreads(state: State): PublicThread[] {
  return [...state.threads.values()].flatMap((thread) => {
    const channel = need(state.channels, thread.parentId, 'channel');
    const guild = need(state.guilds, thread.guildId, 'guild');
    const isForAdults = channel.isNsfw || guild.nsfwLevel === 1 || guild.nsfwLevel === 3;
    if (!isForum(channel) || isForAdults || channel.isSpoiler || !isPublic(state, channel.id)) {
      return [];
    }
    return [{ guild, channel, thread, messages: state.messages.get(thread.id)?.ordered ?? [] }];
  });
}
