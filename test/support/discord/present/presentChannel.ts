import {
  ChannelFlags,
  ChannelType,
  type APIGuildForumChannel,
  type APIThreadChannel,
} from 'discord-api-types/v10';
import { snowflakeTime } from '../../../../shared/exportFormat/snowflake.js';
import type { Channel, Thread } from '../model/entities.js';
import { isForum } from '../model/threadOperations.js';
import { isoOf, isoOfMicros } from './times.js';

/** The flag of a spoiler channel. The package of types does not know it yet. */
const SPOILER_CHANNEL = 1 << 21;
const OBFUSCATED = 1 << 17;
/** Threads that were created later than this have a time of creation of their own. */
const CREATION_TOLD_SINCE = Date.UTC(2022, 0, 9);
/** In threads that were created earlier than this, the count stops at fifty. */
const COUNTED_SINCE = Date.UTC(2022, 6, 1);

/** The form of channels of any type. The package of types has one for each. */
export type AnyChannel = Omit<APIGuildForumChannel, 'type'> & { type: Channel['type'] };

/** A channel that the bot may see. */
export function presentChannel(channel: Channel): AnyChannel {
  const { id, guildId, type, name, topic, parentId, position, isNsfw, overwrites } = channel;
  const common = {
    id,
    type,
    guild_id: guildId,
    name,
    position,
    parent_id: parentId,
    flags: flagsOf(channel),
    nsfw: isNsfw,
    permission_overwrites: overwrites.map(({ allow, deny, ...whose }) => ({
      ...whose,
      allow: String(allow),
      deny: String(deny),
    })),
  };
  if (type === ChannelType.GuildCategory) return common as unknown as AnyChannel;
  const withMessages = {
    ...common,
    topic,
    last_message_id: channel.lastMessageId,
    rate_limit_per_user: channel.slowModeSeconds,
    ...(channel.lastPinAt === null ? {} : { last_pin_timestamp: isoOf(channel.lastPinAt) }),
  };
  return (
    isForum(channel) ? { ...withMessages, ...forumFields(channel) } : withMessages
  ) as AnyChannel;
}

/** The form in which the gateway shows a channel that the bot may not see. */
export function presentHidden({ id, guildId, type, position }: Channel): AnyChannel {
  const everyone = { id: guildId, type: 0, allow: '0', deny: String(1n << 10n) };
  return {
    id,
    type,
    guild_id: guildId,
    name: '___hidden___',
    position,
    parent_id: null,
    flags: OBFUSCATED,
    permission_overwrites: [everyone],
    topic: null,
    last_message_id: null,
  } as unknown as AnyChannel;
}

function flagsOf({ requiresTag, isSpoiler }: Channel): number {
  return (requiresTag ? ChannelFlags.RequireTag : 0) | (isSpoiler ? SPOILER_CHANNEL : 0);
}

function forumFields({ type, tags }: Channel): object {
  return {
    available_tags: tags.map(({ id, name, isModerated, emojiId, emojiName }) => ({
      id,
      name,
      moderated: isModerated,
      emoji_id: emojiId,
      emoji_name: emojiName,
    })),
    default_reaction_emoji: null,
    default_sort_order: null,
    default_thread_rate_limit_per_user: 0,
    default_auto_archive_duration: 4320,
    ...(type === ChannelType.GuildForum ? { default_forum_layout: 0 } : {}),
  };
}

/** A thread whose parent the bot may see. */
export function presentThread(thread: Thread): APIThreadChannel {
  const { id, guildId, parentId, ownerId, name, archiveMicros, appliedTagIds } = thread;
  const createdAt = snowflakeTime(id);
  const counted = (count: number): number =>
    createdAt < COUNTED_SINCE ? Math.min(50, count) : count;
  return {
    id,
    guild_id: guildId,
    parent_id: parentId,
    owner_id: ownerId,
    name,
    type: ChannelType.PublicThread,
    flags: thread.isPinned ? ChannelFlags.Pinned : 0,
    rate_limit_per_user: thread.slowModeSeconds,
    last_message_id: thread.lastMessageId,
    ...(thread.lastPinAt === null ? {} : { last_pin_timestamp: isoOf(thread.lastPinAt) }),
    message_count: counted(thread.messageCount),
    member_count: 1,
    total_message_sent: counted(thread.totalMessagesSent),
    applied_tags: appliedTagIds,
    thread_metadata: {
      archived: thread.isArchived,
      archive_timestamp: isoOfMicros(archiveMicros),
      auto_archive_duration: thread.autoArchiveMinutes,
      locked: thread.isLocked,
      ...(createdAt < CREATION_TOLD_SINCE ? {} : { create_timestamp: isoOf(createdAt) }),
    },
  } as APIThreadChannel;
}
