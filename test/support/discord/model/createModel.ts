import type { Change } from './changes.js';
import { channelOperations } from './channelOperations.js';
import { createClock, createIds } from './clock.js';
import { guildOperations, newUser } from './guildOperations.js';
import { messageOperations } from './messageOperations.js';
import type { DiscordModel } from './model.js';
import { isPublic, permissionsOf } from './permissions.js';
import { publicForums, publicThreads } from './publicThreads.js';
import type { State } from './state.js';
import { threadOperations } from './threadOperations.js';

/** When the account of the bot was made. */
const BOT_SINCE = Date.UTC(2023, 4, 6);

/** A model without guilds. Its clock starts at a time. */
export function createModel(startAt: number): DiscordModel {
  const listeners = new Set<(change: Change) => void>();
  const clock = createClock(startAt);
  const newId = createIds(clock);
  const account = { username: 'forum-archive', discriminator: '4821', isBot: true, at: BOT_SINCE };
  const bot = newUser({ newId }, account);
  const state: State = {
    clock,
    newId,
    bot,
    users: new Map([[bot.id, bot]]),
    guilds: new Map(),
    channels: new Map(),
    threads: new Map(),
    messages: new Map(),
    emit: (change) => listeners.forEach((listener) => listener(change)),
  };
  return {
    clock,
    bot,
    users: state.users,
    guilds: state.guilds,
    channels: state.channels,
    threads: state.threads,
    ...guildOperations(state),
    ...channelOperations(state),
    ...threadOperations(state),
    ...messageOperations(state),
    messagesOf: (channelId) => state.messages.get(channelId)?.ordered ?? [],
    findMessage: (channelId, messageId) => state.messages.get(channelId)?.byId.get(messageId),
    permissionsOf: (userId, channelId) => permissionsOf(state, userId, channelId),
    isPublic: (channelId) => isPublic(state, channelId),
    publicForums: () => publicForums(state),
    publicThreads: () => publicThreads(state),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
