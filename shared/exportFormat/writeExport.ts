import type {
  Bookkeeping,
  AttachmentRecord,
  ChannelRecord,
  EmbedMedia,
  EmbedRecord,
  MessageRecord,
  ReactionRecord,
  ServerRecord,
  StickerRecord,
  ThreadRecord,
} from '../store/records.js';
import { iconUrl, numberedPictureUrl } from '../discordApi/cdnUrls.js';
import { realMicros, tellsDisplayName } from '../store/sourceTime.js';
import type {
  ExportAttachment,
  ExportAuthor,
  ExportChannel,
  ExportEmbed,
  ExportGuild,
  ExportMedia,
  ExportMessage,
  ExportReaction,
  ExportSticker,
  ExportUser,
} from './exportTypes.js';
import { MAX_VALUE_BYTES } from './limits.js';
import { messageTypeName } from './messageTypes.js';
import { isMessage } from './checkPart.js';
import { dateToTimestamp, microsToTimestamp } from './timestamps.js';

const NO_TIME = '0001-01-01T00:00:00+00:00';
const NO_DISCRIMINATOR = '0000';

/** What one file holds: a thread with its messages (in any order), or a forum alone. */
export interface ExportContent {
  server: Omit<ServerRecord, Bookkeeping>;
  channel: Omit<ChannelRecord, Bookkeeping>;
  thread: Omit<ThreadRecord, 'stamps' | 'asOf' | 'revision'> | null;
  messages: AsyncIterable<MessageRecord> | Iterable<MessageRecord>;
  /** When all this was true, in microseconds since the epoch. */
  asOf: number;
}

/**
 * Writes the extended form (docs/import-format.md) in parts: the header, then each message on a line of its own. Throws
 * TypeError where a value in a record has a wrong type, or a message is too large, as no import would take the file.
 */
export async function* writeExport(content: ExportContent): AsyncGenerator<string> {
  const header = {
    guild: writeGuild(content.server),
    channel: content.thread
      ? writeThread(content.thread, content.channel)
      : writeForum(content.channel),
    dateRange: { after: null, before: null },
    exportedAt: microsToTimestamp(content.asOf),
    contentFormat: 'raw',
  };
  yield JSON.stringify(header, null, 2).slice(0, -2);
  yield ',\n  "messages": [';
  let count = 0;
  for await (const message of content.messages) {
    const written = { ...writeMessage(message), ...earlier(message, content) };
    if (!isMessage(written)) throw new TypeError(`Message ${message._id} is damaged`);
    yield `${count === 0 ? '' : ','}\n    ${messageText(written)}`;
    count += 1;
  }
  yield `${count === 0 ? '' : '\n  '}],\n  "messageCount": ${count}\n}\n`;
}

/** A message as text. Throws TypeError where it is too large for an import. */
function messageText(message: ExportMessage): string {
  const text = JSON.stringify(message);
  // A character takes at most three bytes for each of its code units.
  if (text.length * 3 > MAX_VALUE_BYTES && Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw new TypeError(`Message ${message.id} is larger than ${MAX_VALUE_BYTES} bytes`);
  return text;
}

function writeGuild(server: ExportContent['server']): ExportGuild {
  return {
    id: server._id,
    name: server.name,
    ...told('iconUrl', server.icon, (hash) =>
      hash === null ? numberedPictureUrl(0) : `${iconUrl(server._id, hash)}?size=512`,
    ),
    ...told('description', server.description),
    ...told('memberCount', server.memberCount),
  };
}

function writeThread(
  thread: NonNullable<ExportContent['thread']>,
  channel: ExportContent['channel'],
): ExportChannel {
  return {
    id: thread._id,
    type: 'GuildPublicThread',
    categoryId: thread.channelId,
    category: channel.name,
    name: thread.title,
    topic: null,
    ...told('appliedTags', thread.appliedTags),
    ...told('archived', thread.archived),
    ...told('archivedAt', thread.archivedAt, timeOrNull),
    ...told('locked', thread.locked),
    // Sources of different times may have told the two. An import takes no time for a thread that is not locked.
    ...told('lockedAt', thread.locked === false ? null : thread.lockedAt, timeOrNull),
    ...told('pinned', thread.pinned),
    ...told('ownerId', thread.ownerId),
    ...writeForumSettings(channel),
  };
}

function writeForum(channel: ExportContent['channel']): ExportChannel {
  return {
    id: channel._id,
    type: 'GuildForum',
    name: channel.name,
    ...writeForumSettings(channel),
  };
}

function writeForumSettings(
  channel: ExportContent['channel'],
): Pick<ExportChannel, 'availableTags' | 'forum'> {
  return {
    ...told('availableTags', channel.availableTags),
    forum: {
      ...told('type', channel.type),
      ...told('topic', channel.topic),
      ...told('position', channel.position),
      ...told('parentId', channel.parentId),
      ...told('parentName', channel.parentName),
    },
  };
}

function writeMessage(message: MessageRecord): ExportMessage {
  return {
    id: message._id,
    type: messageTypeName(message.type),
    timestamp: dateToTimestamp(message.createdAt),
    timestampEdited: timeOrNull(message.editedAt),
    isPinned: message.pinned,
    content: message.content,
    author: writeAuthor(message),
    attachments: message.attachments.map(writeAttachment),
    embeds: message.embeds.map(writeEmbed),
    stickers: message.stickers.map(writeSticker),
    reactions: message.reactions.map(writeReaction),
    mentions: message.mentions.map(writeUser),
    ...writeReference(message.reference),
    ...writeForwarded(message.forwarded),
    ...writeInteraction(message.interaction),
    ...(message.webhook && { isWebhook: true }),
    ...(message.mentionedRoles && { mentionedRoles: message.mentionedRoles }),
  };
}

/**
 * A message gets a time of its own only where it was read before the time of the file. So a message that comes while
 * the file is written gets the time of the file.
 */
function earlier(message: MessageRecord, { asOf }: ExportContent): Pick<ExportMessage, 'asOf'> {
  const told = realMicros(message.asOf);
  return told < asOf ? { asOf: microsToTimestamp(told) } : {};
}

function writeAuthor(message: MessageRecord): ExportAuthor {
  const { author } = message;
  return {
    ...writeUser(author),
    ...(!tellsDisplayName(message) && { isNicknameKnown: false }),
    discriminator: author.discriminator ?? NO_DISCRIMINATOR,
    avatarUrl: author.avatar,
  };
}

function writeUser(user: MessageRecord['mentions'][number]): ExportUser {
  return { id: user.id, name: user.username, nickname: user.displayName, isBot: user.isBot };
}

function writeAttachment(attachment: AttachmentRecord): ExportAttachment {
  return {
    id: attachment.id,
    url: attachment.url,
    fileName: attachment.filename,
    fileSizeBytes: attachment.size,
    contentType: attachment.contentType,
    width: attachment.width,
    height: attachment.height,
    ...(attachment.description !== undefined && { description: attachment.description }),
    isSpoiler: attachment.spoiler ?? false,
  };
}

function writeEmbed(embed: EmbedRecord): ExportEmbed {
  const [image] = embed.images;
  return {
    type: embed.type,
    title: embed.title ?? '',
    url: embed.url,
    timestamp: timeOrNull(embed.timestamp),
    description: embed.description ?? '',
    ...(embed.color === null
      ? {}
      : { color: `#${embed.color.toString(16).padStart(6, '0').toUpperCase()}` }),
    ...(embed.author ? { author: embed.author } : {}),
    ...(embed.thumbnail ? { thumbnail: writeMedia(embed.thumbnail) } : {}),
    ...(image ? { image: writeMedia(image) } : {}),
    images: embed.images.map(writeMedia),
    ...(embed.video ? { video: writeMedia(embed.video) } : {}),
    ...(embed.footer ? { footer: embed.footer } : {}),
    fields: embed.fields.map((field) => ({
      name: field.name,
      value: field.value,
      isInline: field.inline,
    })),
  };
}

function writeMedia(media: EmbedMedia): ExportMedia {
  return { url: media.url, width: media.width, height: media.height };
}

function writeSticker(sticker: StickerRecord): ExportSticker {
  return { id: sticker.id, name: sticker.name, format: sticker.format, sourceUrl: sticker.url };
}

function writeReaction(reaction: ReactionRecord): ExportReaction {
  const { id, name, animated } = reaction.emoji;
  return {
    emoji: { id: id ?? '', name, isAnimated: animated },
    count: reaction.count,
    users: reaction.userIds.map((userId) => ({ id: userId })),
  };
}

function writeReference(
  reference: MessageRecord['reference'],
): Pick<ExportMessage, 'reference'> | undefined {
  if (!reference) return undefined;
  const type = reference.type === 'forward' ? 'Forward' : 'Default';
  return { reference: { ...reference, type } };
}

function writeForwarded(
  forwarded: MessageRecord['forwarded'],
): Pick<ExportMessage, 'forwardedMessage'> | undefined {
  if (!forwarded || forwarded.untold) return undefined;
  return {
    forwardedMessage: {
      timestamp: timeOrNull(forwarded.createdAt) ?? NO_TIME,
      timestampEdited: timeOrNull(forwarded.editedAt),
      content: forwarded.content,
      attachments: forwarded.attachments.map(writeAttachment),
      embeds: forwarded.embeds.map(writeEmbed),
      stickers: forwarded.stickers.map(writeSticker),
    },
  };
}

function writeInteraction(
  interaction: MessageRecord['interaction'],
): Pick<ExportMessage, 'interaction'> | undefined {
  if (!interaction) return undefined;
  const { id, name, userId, username } = interaction;
  return { interaction: { id, name, user: { id: userId, name: username } } };
}

function timeOrNull(date: Date | null): string | null {
  return date && dateToTimestamp(date);
}

/** The value under its name in the file; nothing where no source told it. */
function told<K extends string, T>(name: K, value: T | undefined): { [key in K]?: T };
function told<K extends string, T, R>(
  name: K,
  value: T | undefined,
  write: (value: T) => R,
): { [key in K]?: R };
function told<T>(name: string, value: T | undefined, write?: (value: T) => unknown): object {
  if (value === undefined) return {};
  return { [name]: write ? write(value) : value };
}
