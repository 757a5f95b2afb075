import { ChannelType } from 'discord-api-types/v10';
import type { Channel } from './entities.js';
import type { ChannelOperations } from './operations.js';
import { need, type State } from './state.js';

/** Types of channels that hold messages themselves. */
const WITH_MESSAGES: ChannelType[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

/** The operations on channels. */
export function channelOperations(state: State): ChannelOperations {
  const update = (channelId: string, values: Partial<Channel>): Channel => {
    const channel = Object.assign(need(state.channels, channelId, 'channel'), values);
    state.emit({ kind: 'channelUpdated', channel });
    return channel;
  };
  return {
    createChannel(guildId, { at, ...values }) {
      need(state.guilds, guildId, 'guild');
      const channel: Channel = {
        id: state.newId(at),
        guildId,
        name: 'channel',
        topic: null,
        parentId: null,
        position: state.channels.size,
        isNsfw: false,
        isSpoiler: false,
        requiresTag: false,
        overwrites: [],
        tags: [],
        slowModeSeconds: 0,
        lastMessageId: null,
        lastPinAt: null,
        ...values,
      };
      state.channels.set(channel.id, channel);
      if (WITH_MESSAGES.includes(channel.type)) {
        state.messages.set(channel.id, { ordered: [], byId: new Map() });
      }
      state.emit({ kind: 'channelCreated', channel });
      return channel;
    },

    updateChannel: update,

    deleteChannel(channelId) {
      const channel = need(state.channels, channelId, 'channel');
      state.channels.delete(channelId);
      state.messages.delete(channelId);
      for (const thread of state.threads.values()) {
        if (thread.parentId !== channelId) continue;
        state.threads.delete(thread.id);
        state.messages.delete(thread.id);
      }
      state.emit({ kind: 'channelDeleted', channel });
    },

    setOverwrite(channelId, overwrite) {
      const { overwrites } = need(state.channels, channelId, 'channel');
      const others = overwrites.filter(({ id }) => id !== overwrite.id);
      const isEmpty = overwrite.allow === 0n && overwrite.deny === 0n;
      return update(channelId, { overwrites: isEmpty ? others : [...others, overwrite] });
    },

    createTag(channelId, values) {
      const defaults = { isModerated: false, emojiId: null, emojiName: null };
      const tag = { id: state.newId(), ...defaults, ...values };
      const { tags } = need(state.channels, channelId, 'channel');
      update(channelId, { tags: [...tags, tag] });
      return tag;
    },

    deleteTag(channelId, tagId) {
      const { tags } = need(state.channels, channelId, 'channel');
      update(channelId, { tags: tags.filter(({ id }) => id !== tagId) });
    },
  };
}
