import type {
  ExportAttachment,
  ExportEmbed,
  ExportMessage,
  ExportReaction,
  ExportSticker,
} from '../../../shared/exportFormat/exportTypes.js';
import { messageTime } from '../../../shared/exportFormat/messageTime.js';
import { isCounted, messageTypeNumber } from '../../../shared/exportFormat/messageTypes.js';
import {
  timestampToDateOrNull,
  timestampToMicrosOrNull,
} from '../../../shared/exportFormat/timestamps.js';
import type {
  AttachmentRecord,
  EmbedRecord,
  MessageRecord,
  ReactionRecord,
  SourceMessage,
  StickerRecord,
} from '../../../shared/store/records.js';
import { UNTOLD_COPY } from '../../../shared/store/forwards.js';
import { asOnePart } from '../content/partBreak.js';
import { attachmentUrl, stickerUrl } from './assetUrls.js';
import { cleanContent, cleanFileName, cleanName } from './cleanText.js';
import { cleanContentType, contentTypeOf } from './contentTypes.js';
import { mapEmbed } from './mapEmbed.js';
import { mapAuthor, mapNames } from './mapUser.js';
import { restorer } from './restoreContent.js';

/** The platform's own name for files that are spoilers. */
const SPOILER_PREFIX = 'SPOILER_';

/**
 * Makes the function that puts ids back into a text. Where it is given the emojis of an embed, these come before those
 * of the message.
 */
type RestoreWith = ReturnType<typeof restorer>;

/** What the mapping of a message needs in addition to it. */
export interface MessageContext {
  threadId: string;
  /** The server of its file. The platform itself tells all avatars by their addresses, so it needs none. */
  serverId?: string;
  /** When its file was made (microseconds since the epoch). */
  asOf: number;
  /** Whether the file holds contents as they were written. */
  raw: boolean;
  /** Whether the file may hold usernames in place of mentions, even of people with nicknames. */
  mayBeUsernames?: boolean;
}

/** Maps a checked message of a file. */
export function mapMessage(message: ExportMessage, context: MessageContext): SourceMessage {
  const { threadId } = context;
  const type = messageTypeNumber(message.type);
  const restoreWith = restoring(message, context);
  return {
    _id: message.id,
    threadId,
    type,
    counted: isCounted(type),
    author: mapAuthor(message.author, context.serverId),
    ...(message.isWebhook && { webhook: true as const }),
    content: restoreWith()(cleanContent(message.content)),
    createdAt: new Date(messageTime(message)),
    editedAt: timestampToDateOrNull(message.timestampEdited),
    pinned: message.isPinned ?? false,
    attachments: (message.attachments ?? []).map((file) => mapAttachment(file, threadId)),
    embeds: mapEmbeds(message.embeds, restoreWith),
    stickers: (message.stickers ?? []).map(mapSticker),
    reactions: (message.reactions ?? []).filter(({ count }) => count > 0).map(mapReaction),
    mentions: (message.mentions ?? []).map(mapNames),
    reference: mapReference(message),
    forwarded: isUnplaced(message) ? null : mapForwarded(message, threadId, restoreWith),
    interaction: mapInteraction(message.interaction),
    ...mapRoles(message.mentionedRoles),
    asOf: timestampToMicrosOrNull(message.asOf) ?? context.asOf,
    ...(message.author.isNicknameKnown === false && { partsAsOf: { displayName: 0 } }),
  };
}

function restoring(
  { mentions = [], inlineEmojis: emojis = [] }: ExportMessage,
  { raw, mayBeUsernames = false }: MessageContext,
): RestoreWith {
  if (raw) return () => (text) => text;
  const restoreWith = restorer({ mentions, mayBeUsernames, emojis });
  return (own) => {
    const restore = restoreWith(own);
    // An exporter knows no parts. This archive's own files do, and hold contents as they are.
    return (text) => restore(asOnePart(text));
  };
}

function mapAttachment(file: ExportAttachment, threadId: string): AttachmentRecord {
  const description = cleanContent(file.description).trim();
  const isSpoiler = file.isSpoiler ?? file.fileName.startsWith(SPOILER_PREFIX);
  const filename = cleanFileName(file.fileName);
  return {
    id: file.id,
    filename,
    url: attachmentUrl(file.url, { threadId, attachmentId: file.id, filename }),
    contentType:
      file.contentType === undefined ? contentTypeOf(filename) : cleanContentType(file.contentType),
    size: file.fileSizeBytes ?? 0,
    width: file.width ?? null,
    height: file.height ?? null,
    ...(description !== '' && { description }),
    ...(isSpoiler && { spoiler: true as const }),
  };
}

function mapEmbeds(embeds: ExportEmbed[] | undefined, restoreWith: RestoreWith): EmbedRecord[] {
  return (embeds ?? []).map((embed) => mapEmbed(embed, restoreWith(embed.inlineEmojis)));
}

function mapSticker(sticker: ExportSticker): StickerRecord {
  const format = cleanName(sticker.format, 'Png');
  return {
    id: sticker.id,
    name: cleanName(sticker.name, 'sticker'),
    format,
    url: stickerUrl(sticker.sourceUrl, { id: sticker.id, format }),
  };
}

function mapReaction({ emoji, count, users }: ExportReaction): ReactionRecord {
  return {
    emoji: mapEmoji(emoji),
    count,
    userIds: (users ?? []).map((user) => user.id),
  };
}

/** The emoji of a reaction. */
export function mapEmoji({
  id,
  name,
  isAnimated,
}: ExportReaction['emoji']): ReactionRecord['emoji'] {
  return { id: id ? id : null, name: cleanName(name, 'emoji'), animated: isAnimated ?? false };
}

function mapReference({ reference }: ExportMessage): MessageRecord['reference'] {
  if (!reference) return null;
  return {
    type: reference.type === 'Forward' ? 'forward' : 'reply',
    messageId: reference.messageId ?? null,
    channelId: reference.channelId ?? null,
    guildId: reference.guildId ?? null,
  };
}

/**
 * Whether a message names another message, but not the thread or channel of that message. If it is a forward, its copy
 * of the other message would never be shown. When the other message is deleted or erased, nobody would find the copy to
 * remove it. So the copy is not recorded.
 */
function isUnplaced({ reference }: ExportMessage): boolean {
  return Boolean(reference?.messageId && !reference.channelId);
}

/**
 * The copy that a forward holds of another message; null where the message is no forward. A file may say that a message
 * is a forward, and hold no copy. Then this is UNTOLD_COPY and not null. A recorded forward with null counts as one
 * whose original was deleted, and copies of it are emptied, too (`isGone`).
 */
function mapForwarded(
  { forwardedMessage: forwarded, reference }: ExportMessage,
  threadId: string,
  restoreWith: RestoreWith,
): MessageRecord['forwarded'] {
  if (!forwarded) return reference?.type === 'Forward' ? UNTOLD_COPY : null;
  return {
    content: restoreWith()(cleanContent(forwarded.content)),
    createdAt: timestampToDateOrNull(forwarded.timestamp),
    editedAt: timestampToDateOrNull(forwarded.timestampEdited),
    attachments: (forwarded.attachments ?? []).map((file) => mapAttachment(file, threadId)),
    embeds: mapEmbeds(forwarded.embeds, restoreWith),
    stickers: (forwarded.stickers ?? []).map(mapSticker),
  };
}

function mapInteraction(interaction: ExportMessage['interaction']): MessageRecord['interaction'] {
  if (!interaction) return null;
  return {
    id: interaction.id,
    name: cleanName(interaction.name, 'command'),
    userId: interaction.user.id,
    username: cleanName(interaction.user.name, `user-${interaction.user.id}`),
  };
}

function mapRoles(
  roles: ExportMessage['mentionedRoles'] = [],
): Pick<MessageRecord, 'mentionedRoles'> {
  if (roles.length === 0) return {};
  return { mentionedRoles: roles.map(({ id, name }) => ({ id, name: cleanName(name, 'role') })) };
}
