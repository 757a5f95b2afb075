import { timestampToDate } from '../../../shared/exportFormat/timestamps.js';
import type { SourceThread } from '../../../shared/store/records.js';
import type { LiveChannel, LiveGuild, LiveThread } from '../../../shared/discordApi/answerTypes.js';
import { cleanName, contentOrNull } from './cleanText.js';
import { mapTag } from './mapHeader.js';

const PINNED = 1 << 1;

/** A server as the platform tells it. */
export function liveServer(guild: LiveGuild): SourceThread['server'] {
  const { approximate_member_count: memberCount } = guild;
  return {
    _id: guild.id,
    name: cleanName(guild.name, 'server'),
    icon: guild.icon ?? null,
    description: contentOrNull(guild.description),
    ...(typeof memberCount === 'number' && { memberCount }),
  };
}

/** A forum as the platform tells it. `parentName` is the name of its category; null where it stands in none. */
export function liveChannel(
  channel: LiveChannel,
  { id: serverId, emojis = [] }: Pick<LiveGuild, 'id' | 'emojis'>,
  parentName: string | null,
): SourceThread['channel'] {
  // Of a tag with a custom emoji, the platform tells only the emoji's id.
  const nameOf = (emojiId: string | null | undefined): string | null =>
    emojis.find(({ id }) => id === emojiId)?.name ?? null;
  return {
    _id: channel.id,
    serverId,
    name: cleanName(channel.name, 'forum'),
    type: channel.type,
    topic: contentOrNull(channel.topic),
    ...(channel.position !== undefined && { position: channel.position }),
    parentId: channel.parent_id ?? null,
    parentName: parentName === null ? null : cleanName(parentName, 'category'),
    availableTags: (channel.available_tags ?? []).map((tag) =>
      mapTag({ ...tag, emoji: tag.emoji_name ?? nameOf(tag.emoji_id) }),
    ),
  };
}

/** A thread that stands in a channel. */
export type ChannelThread = LiveThread & { parent_id: string };

/** A thread as the platform tells it. */
export function liveThread(
  thread: ChannelThread,
  serverId: string,
): NonNullable<SourceThread['thread']> {
  const { archived, archive_timestamp: since, locked } = thread.thread_metadata;
  return {
    _id: thread.id,
    serverId,
    channelId: thread.parent_id,
    title: cleanName(thread.name, 'thread'),
    ...(thread.owner_id && { ownerId: thread.owner_id }),
    appliedTags: thread.applied_tags ?? [],
    archived,
    // An active thread has this time, too. It is not the time at which it was archived.
    archivedAt: archived && since !== null ? timestampToDate(since) : null,
    ...(locked !== undefined && { locked }),
    pinned: ((thread.flags ?? 0) & PINNED) !== 0,
  };
}
