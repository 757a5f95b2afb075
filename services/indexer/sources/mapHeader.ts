import type { ExportHeader, ExportTag } from '../../../shared/exportFormat/exportTypes.js';
import { appliedTagIds } from '../../../shared/exportFormat/judgeHeader.js';
import type { ExportFile } from '../../../shared/exportFormat/readExport.js';
import { timestampToDateOrNull } from '../../../shared/exportFormat/timestamps.js';
import type { AvailableTag, SourceThread } from '../../../shared/store/records.js';
import { iconHash } from './assetUrls.js';
import { cleanName, contentOrNull, nameOrNull } from './cleanText.js';

/** The type of an ordinary channel. */
export const TEXT_CHANNEL = 0;
const FORUM = 15;

/** The server as a file tells it. */
export function mapServer(guild: ExportHeader['guild']): SourceThread['server'] {
  const icon = 'iconUrl' in guild ? iconHash(guild.iconUrl, guild.id) : undefined;
  return {
    _id: guild.id,
    name: cleanName(guild.name, 'server'),
    ...(icon === undefined ? {} : { icon }),
    ...told(guild.description, 'description', contentOrNull),
    ...told(guild.memberCount, 'memberCount', identity),
  };
}

/** The forum or text channel of a thread. */
export function mapParent({ header, startedFromMessage }: ExportFile): SourceThread['channel'] {
  const { channel } = header;
  return {
    _id: channel.categoryId!,
    serverId: header.guild.id,
    name: cleanName(channel.category, 'channel'),
    type: channel.forum?.type ?? (startedFromMessage ? TEXT_CHANNEL : FORUM),
    ...mapForumSettings(channel),
  };
}

/** A file that describes a forum without threads: its own channel is the forum, its parent the category. */
export function mapForum({ guild, channel }: ExportHeader): SourceThread['channel'] {
  const category = {
    ...told(channel.categoryId, 'parentId', identity),
    ...told(channel.category, 'parentName', nameOrNull),
  };
  return {
    _id: channel.id,
    serverId: guild.id,
    name: cleanName(channel.name, 'forum'),
    type: channel.forum?.type ?? FORUM,
    ...told(channel.topic, 'topic', contentOrNull),
    ...category,
    ...mapForumSettings(channel),
  };
}

function mapForumSettings(channel: ExportHeader['channel']): Partial<SourceThread['channel']> {
  const { forum } = channel;
  return {
    ...told(forum?.topic, 'topic', contentOrNull),
    ...told(forum?.position, 'position', identity),
    ...told(forum?.parentId, 'parentId', identity),
    ...told(forum?.parentName, 'parentName', nameOrNull),
    ...told(channel.availableTags, 'availableTags', (tags) => tags.map(mapTag)),
  };
}

/** A tag of a forum. */
export function mapTag({ id, name, emoji, moderated = false }: ExportTag): AvailableTag {
  return { id, name: cleanName(name, 'tag'), emoji: nameOrNull(emoji), moderated };
}

/** The thread itself; fields that the file does not tell are absent. */
export function mapThread({ guild, channel }: ExportHeader): NonNullable<SourceThread['thread']> {
  return {
    _id: channel.id,
    serverId: guild.id,
    channelId: channel.categoryId!,
    title: cleanName(channel.name, 'thread'),
    // Null says that it is not known who started the thread. It does not replace what another file tells.
    ...told(channel.ownerId ?? undefined, 'ownerId', identity),
    ...told(channel.appliedTags, 'appliedTags', () => appliedTagIds(channel)),
    ...told(channel.archived, 'archived', identity),
    ...told(channel.archivedAt, 'archivedAt', timestampToDateOrNull),
    ...told(channel.locked, 'locked', identity),
    ...told(channel.lockedAt, 'lockedAt', timestampToDateOrNull),
    ...told(channel.pinned, 'pinned', identity),
  };
}

/** The mapped value under its name, or nothing where the file does not tell it. */
function told<K extends string, T, R>(
  value: T | undefined,
  name: K,
  map: (value: T) => R,
): { [key in K]?: R } {
  return value === undefined ? {} : ({ [name]: map(value) } as { [key in K]?: R });
}

function identity<T>(value: T): T {
  return value;
}
