/**
 * The keys of an export file that this service reads. These types describe the files of DiscordChatExporter and the
 * extended form (docs/import-format.md). Keys marked "extended" are never in DiscordChatExporter's own files. Ids are
 * snowflakes as strings; times are ISO 8601 with an offset.
 */

export interface ExportGuild {
  id: string;
  name: string;
  iconUrl?: string | null;
  /** Extended. */
  description?: string | null;
  /** Extended. */
  memberCount?: number;
}

/** Extended: a tag that the forum offers. */
export interface ExportTag {
  id: string;
  name: string;
  emoji?: string | null;
  moderated?: boolean;
}

/** Extended: the settings of the thread's forum, or of the forum that the file describes. */
export interface ExportForum {
  type?: number;
  topic?: string | null;
  position?: number;
  parentId?: string | null;
  parentName?: string | null;
}

export interface ExportChannel {
  id: string;
  type: string | number;
  /** The parent: the forum or text channel of a thread. */
  categoryId?: string | null;
  category?: string | null;
  name: string;
  topic?: string | null;
  /** Extended, as are all keys below: ids of tags, or names of availableTags. */
  appliedTags?: string[];
  archived?: boolean;
  archivedAt?: string | null;
  locked?: boolean;
  lockedAt?: string | null;
  pinned?: boolean;
  ownerId?: string | null;
  availableTags?: ExportTag[];
  forum?: ExportForum;
}

/** Everything of a file that is not a message. */
export interface ExportHeader {
  guild: ExportGuild;
  channel: ExportChannel;
  exportedAt?: string;
  /** Extended: `raw` when content holds the platform's own ids (`<@id>`), `text` (default) when they were flattened. */
  contentFormat?: 'raw' | 'text';
}

export interface ExportUser {
  id: string;
  name?: string;
  discriminator?: string | null;
  nickname?: string | null;
  isBot?: boolean;
  avatarUrl?: string | null;
}

/** The author of a message. */
export interface ExportAuthor extends ExportUser {
  /** Extended: false where `nickname` is the account's own name, as what the server calls the person was not told. */
  isNicknameKnown?: boolean;
}

export interface ExportAttachment {
  id: string;
  url: string;
  fileName: string;
  fileSizeBytes?: number;
  /** Extended, as are all keys below. */
  contentType?: string | null;
  width?: number | null;
  height?: number | null;
  /** What the file shows, in its author's words. */
  description?: string | null;
  /** Where this key is missing, a name that begins with `SPOILER_` marks the file as a spoiler. */
  isSpoiler?: boolean;
}

export interface ExportMedia {
  url?: string | null;
  canonicalUrl?: string | null;
  width?: number | null;
  height?: number | null;
}

export interface ExportIcon {
  iconUrl?: string | null;
  iconCanonicalUrl?: string | null;
}

export interface ExportEmoji {
  id?: string | null;
  name: string;
  isAnimated?: boolean;
}

export interface ExportEmbed {
  /** Extended. */
  type?: string;
  title?: string | null;
  url?: string | null;
  timestamp?: string | null;
  description?: string | null;
  /** `#RRGGBB`, or its number. */
  color?: string | number | null;
  author?: (ExportIcon & { name?: string | null; url?: string | null }) | null;
  footer?: (ExportIcon & { text?: string | null }) | null;
  thumbnail?: ExportMedia | null;
  image?: ExportMedia | null;
  images?: ExportMedia[];
  video?: ExportMedia | null;
  fields?: { name?: string; value?: string; isInline?: boolean }[];
  inlineEmojis?: ExportEmoji[];
}

export interface ExportSticker {
  id: string;
  name: string;
  format?: string;
  sourceUrl?: string | null;
}

export interface ExportReaction {
  emoji: ExportEmoji;
  count: number;
  users?: { id: string }[];
}

export interface ExportReference {
  type?: string;
  messageId?: string | null;
  channelId?: string | null;
  guildId?: string | null;
}

export interface ExportForwarded {
  timestamp?: string | null;
  timestampEdited?: string | null;
  content?: string;
  attachments?: ExportAttachment[];
  embeds?: ExportEmbed[];
  stickers?: ExportSticker[];
}

export interface ExportMessage {
  id: string;
  type: string | number;
  timestamp: string;
  timestampEdited?: string | null;
  isPinned?: boolean;
  content: string;
  author: ExportAuthor;
  attachments?: ExportAttachment[];
  embeds?: ExportEmbed[];
  stickers?: ExportSticker[];
  reactions?: ExportReaction[];
  mentions?: ExportUser[];
  reference?: ExportReference | null;
  forwardedMessage?: ExportForwarded | null;
  interaction?: { id: string; name?: string | null; user: ExportUser } | null;
  inlineEmojis?: ExportEmoji[];
  /** Extended: a webhook wrote the message, so its author has no account. */
  isWebhook?: boolean;
  /** Extended. */
  mentionedRoles?: { id: string; name: string }[];
  /** Extended: when the message was read from the platform, if that was earlier than the file's own time. */
  asOf?: string;
}
