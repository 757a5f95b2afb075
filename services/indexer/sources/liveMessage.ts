import type { APIEmbed, APIStickerItem } from 'discord-api-types/v10';
import type {
  ExportAttachment,
  ExportEmbed,
  ExportForwarded,
  ExportMedia,
  ExportMessage,
  ExportReference,
  ExportSticker,
  ExportUser,
} from '../../../shared/exportFormat/exportTypes.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import type {
  LiveAttachment,
  LiveMemberNamed,
  LiveMessage,
  LiveRole,
  LiveSnapshot,
  LiveUser,
} from '../../../shared/discordApi/answerTypes.js';
import { pictureUrl, unsignedUrl } from '../../../shared/discordApi/cdnUrls.js';
import {
  foreignMedia,
  sentFiles,
  SPOILER_FILE,
  type ComponentMedia,
} from '../../../shared/discordApi/componentMedia.js';
import { webUrl } from './assetUrls.js';
import { liveText } from './liveText.js';
import { mapMessage } from './mapMessage.js';

const EPHEMERAL = 1 << 6;
const LOADING = 1 << 7;
const AUTO_MODERATION_ACTION = 24;
const FORWARD = 1;
const STICKER_FORMATS: Readonly<Record<number, string>> = { 2: 'Apng', 3: 'Lottie', 4: 'Gif' };

/**
 * What the mapping of a message needs in addition to it: the message's thread, the time at which it counts as told
 * (`asOf`), and the server's roles by their ids. `isEvent` says that an event told the message. Events tell no
 * reactions.
 */
export interface LiveContext {
  threadId: string;
  asOf: number;
  roles: ReadonlyMap<string, Pick<LiveRole, 'name'>>;
  isEvent?: true;
}

/**
 * Maps a message that the platform tells. Parts that it does not tell count as told at the time 0, so they change
 * nothing: history tells no nicknames, events tell no reactions, and neither tells who reacted. Null for messages that
 * are not for everybody: ephemeral answers, answers that are still loading, and notices of automatic moderation.
 */
export function liveMessage(message: LiveMessage, context: LiveContext): SourceMessage | null {
  if (!isForEverybody(message)) return null;
  const { threadId, asOf, roles, isEvent } = context;
  return {
    ...mapMessage(asExported(message, roles), { threadId, asOf, raw: true }),
    partsAsOf: {
      ...(!message.member && { displayName: 0 }),
      ...(isUnnamed(message) && { mentionNames: 0 }),
      ...(isEvent && !message.reactions && { reactions: 0 }),
      reactors: 0,
    },
  };
}

/** Whether a message may be archived. The other ones are shown to a single person, not finished, or for moderators. */
export function isForEverybody({ type, flags = 0 }: LiveMessage): boolean {
  return (flags & (EPHEMERAL | LOADING)) === 0 && type !== AUTO_MODERATION_ACTION;
}

/** Puts the message into the shape of an export. From there, both are mapped in the same way. */
function asExported(message: LiveMessage, roles: LiveContext['roles']): ExportMessage {
  return {
    id: message.id,
    type: message.type,
    timestamp: message.timestamp,
    timestampEdited: message.edited_timestamp,
    isPinned: message.pinned ?? false,
    content: liveText(message),
    author: { ...asUser(message.author, message.member), isBot: isBot(message) },
    ...(isByWebhook(message) && { isWebhook: true }),
    ...filesOf(message),
    reactions: (message.reactions ?? []).map(({ count, emoji }) => ({
      count,
      emoji: { id: emoji.id, name: emoji.name ?? '', isAnimated: emoji.animated ?? false },
    })),
    mentions: mentionsOf(message),
    reference: referenceOf(message),
    forwardedMessage: forwardedOf(message),
    interaction: interactionOf(message),
    mentionedRoles: rolesOf(message, roles),
  };
}

/**
 * Whether the message mentions people, and tells of none of them what they are called on the server. History never
 * tells that.
 */
function isUnnamed(message: LiveMessage): boolean {
  const mentions = mentionedIn(message);
  return mentions.length > 0 && mentions.every(({ member }) => !member);
}

/**
 * The people whom a message, or the message that it forwards, mentions. Each comes once. Where both mention somebody,
 * what the message itself tells of them is taken.
 */
function mentionsOf(message: LiveMessage): ExportUser[] {
  const users = mentionedIn(message).map((user) => asUser(user, user.member));
  return [...new Map(users.map((user) => [user.id, user])).values()];
}

/** The message's own mentions come last. */
function mentionedIn(message: LiveMessage) {
  return [...originalOf(message), message].flatMap(({ mentions = [] }) => mentions);
}

function rolesOf(
  message: LiveMessage,
  roles: LiveContext['roles'],
): NonNullable<ExportMessage['mentionedRoles']> {
  const ids = [message, ...originalOf(message)].flatMap(({ mention_roles: told = [] }) => told);
  return [...new Set(ids)].flatMap((id) => {
    const role = roles.get(id);
    return role ? [{ id, name: role.name }] : [];
  });
}

/** What a message forwards; empty where it forwards nothing. */
function originalOf({ message_snapshots: snapshots = [] }: LiveMessage): LiveSnapshot[] {
  return snapshots.slice(0, 1).map(({ message }) => message);
}

/** Whether no person has written a message: a webhook, or the account of a bot. */
function isBot(message: LiveMessage): boolean {
  return isByWebhook(message) || (message.author.bot ?? false);
}

/**
 * Whether a message was written by a webhook, which is no account. A bot's answer to a command has a webhook's id, too:
 * that of its application. It was written by the bot's account.
 */
export function isByWebhook({ webhook_id: webhookId, application_id: id }: LiveMessage): boolean {
  return webhookId !== undefined && webhookId !== id;
}

function asUser(user: LiveUser, member: LiveMemberNamed = {}): ExportUser {
  return {
    id: user.id,
    name: user.username,
    discriminator: user.discriminator ?? null,
    // An empty name counts as none.
    nickname: [member.nick, user.global_name].find(Boolean) ?? user.username,
    isBot: user.bot ?? false,
    avatarUrl: pictureUrl(user),
  };
}

function filesOf(
  message: LiveSnapshot,
): Pick<ExportMessage, 'attachments' | 'embeds' | 'stickers'> {
  return {
    attachments: sentFiles(message).map(asAttachment),
    embeds: [...(message.embeds ?? []).map(asEmbed), ...foreignMedia(message).flatMap(asPicture)],
    stickers: (message.sticker_items ?? []).map(asSticker),
  };
}

function asAttachment(file: LiveAttachment): ExportAttachment {
  return {
    id: file.id,
    url: unsignedUrl(file.url),
    fileName: file.filename,
    fileSizeBytes: file.size ?? 0,
    // Where no type is told, the ending of the name decides.
    ...(file.content_type ? { contentType: file.content_type } : {}),
    width: file.width ?? null,
    height: file.height ?? null,
    ...(file.description ? { description: file.description } : {}),
    ...(((file.flags ?? 0) & SPOILER_FILE) !== 0 && { isSpoiler: true }),
  };
}

function asEmbed(embed: APIEmbed): ExportEmbed {
  const { author, footer } = embed;
  return {
    ...(embed.type && { type: embed.type }),
    title: embed.title ?? null,
    url: embed.url ?? null,
    timestamp: embed.timestamp ?? null,
    description: embed.description ?? null,
    color: embed.color ?? null,
    author: author
      ? {
          name: author.name,
          url: author.url ?? null,
          iconUrl: author.icon_url ?? null,
        }
      : null,
    footer: footer ? { text: footer.text, iconUrl: footer.icon_url ?? null } : null,
    thumbnail: asMedia(embed.thumbnail),
    image: asMedia(embed.image),
    video: asMedia(embed.video),
    fields: (embed.fields ?? []).map(({ name, value, inline }) => ({
      name,
      value,
      isInline: inline ?? false,
    })),
  };
}

/**
 * Makes an embed of a picture or video that a component shows from elsewhere. An embed cannot hide its picture. So where
 * the component hides it, the embed has a link in its place.
 */
function asPicture({ media, isHidden, description = null }: ComponentMedia): ExportEmbed[] {
  const { content_type: type } = media;
  if (webUrl(media.url) === null) return [];
  if (isHidden) return [{ type: 'link', url: unsignedUrl(media.url) }];
  const told = asMedia(media);
  return [
    type?.startsWith('video/')
      ? { type: 'video', description, video: told }
      : { type: 'image', description, image: told },
  ];
}

function asMedia(
  media: { url?: string | null; width?: number | null; height?: number | null } | undefined,
): ExportMedia | null {
  if (!media?.url) return null;
  return { url: unsignedUrl(media.url), width: media.width ?? null, height: media.height ?? null };
}

function asSticker(sticker: APIStickerItem): ExportSticker {
  return {
    id: sticker.id,
    name: sticker.name,
    format: STICKER_FORMATS[sticker.format_type] ?? 'Png',
  };
}

function referenceOf({ message_reference: told }: LiveMessage): ExportReference | null {
  if (!told) return null;
  return {
    type: told.type === FORWARD ? 'Forward' : 'Default',
    messageId: told.message_id ?? null,
    channelId: told.channel_id ?? null,
    guildId: told.guild_id ?? null,
  };
}

function forwardedOf(message: LiveMessage): ExportForwarded | null {
  const [original] = originalOf(message);
  if (!original) return null;
  return {
    timestamp: original.timestamp ?? null,
    timestampEdited: original.edited_timestamp ?? null,
    content: liveText(original),
    ...filesOf(original),
  };
}

/**
 * The command that a message answers. Null where it answers none, and where the platform does not tell who used the
 * command: its description has that as optional.
 */
function interactionOf(message: LiveMessage): NonNullable<ExportMessage['interaction']> | null {
  const told = message.interaction_metadata ?? message.interaction;
  const user = told?.user ?? message.interaction?.user;
  if (!told || !user) return null;
  const name = message.interaction?.name ?? told.name ?? null;
  return { id: told.id, name, user: asUser(user) };
}
