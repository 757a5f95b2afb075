import type {
  APIEmbed,
  APIMessageTopLevelComponent,
  APIStickerItem,
  ChannelType,
} from 'discord-api-types/v10';

/** An account. The author of a webhook's message is not one: see `Message.webhook`. */
export interface User {
  id: string;
  username: string;
  globalName: string | null;
  /** '0' for accounts with the newer kind of name. */
  discriminator: string;
  avatar: string | null;
  isBot: boolean;
}

export interface Role {
  id: string;
  name: string;
  permissions: bigint;
  position: number;
  color: number;
  /** The bot that the role belongs to; null for other roles. */
  botId: string | null;
}

/** A member of a guild. */
export interface Member {
  user: User;
  nick: string | null;
  roleIds: string[];
  /** Milliseconds since the epoch. */
  joinedAt: number;
}

export interface Guild {
  id: string;
  name: string;
  icon: string | null;
  description: string | null;
  ownerId: string;
  /** With 1 and 3, the guild is restricted to adults. */
  nsfwLevel: 0 | 1 | 2 | 3;
  /** The role of everybody has the id of the guild. */
  roles: Map<string, Role>;
  members: Map<string, Member>;
  /** The custom emoji. */
  emojis: (Pick<Emoji, 'name'> & { id: string })[];
  isUnavailable: boolean;
}

/** What a channel allows and denies to a role (0) or a member (1). */
export interface Overwrite {
  id: string;
  type: 0 | 1;
  allow: bigint;
  deny: bigint;
}

export interface Tag {
  id: string;
  name: string;
  isModerated: boolean;
  emojiId: string | null;
  emojiName: string | null;
}

export type GuildChannelKind =
  | ChannelType.GuildText
  | ChannelType.GuildCategory
  | ChannelType.GuildAnnouncement
  | ChannelType.GuildForum
  | ChannelType.GuildMedia;

/** A channel of a guild that is not a thread. */
export interface Channel {
  id: string;
  guildId: string;
  type: GuildChannelKind;
  name: string;
  topic: string | null;
  /** The id of its category. */
  parentId: string | null;
  position: number;
  isNsfw: boolean;
  isSpoiler: boolean;
  requiresTag: boolean;
  overwrites: Overwrite[];
  tags: Tag[];
  slowModeSeconds: number;
  /** In a forum, the id of the newest thread. */
  lastMessageId: string | null;
  lastPinAt: number | null;
}

export interface Thread {
  id: string;
  guildId: string;
  /** The id of its forum or text channel. */
  parentId: string;
  ownerId: string;
  name: string;
  isArchived: boolean;
  isLocked: boolean;
  isPinned: boolean;
  /** When the archived state last changed, or else when the thread was created (µs since the epoch). */
  archiveMicros: number;
  autoArchiveMinutes: 60 | 1440 | 4320 | 10080;
  appliedTagIds: string[];
  slowModeSeconds: number;
  /** Without the starter of a forum post, and without deleted messages. */
  messageCount: number;
  /** It never goes down. */
  totalMessagesSent: number;
  lastMessageId: string | null;
  lastPinAt: number | null;
}

export interface Emoji {
  /** Null for a standard emoji. */
  id: string | null;
  name: string;
  isAnimated?: boolean;
}

export interface Reaction {
  emoji: Emoji;
  userIds: Set<string>;
}

export interface Attachment {
  id: string;
  filename: string;
  size: number;
  contentType: string;
  description?: string;
  width?: number;
  height?: number;
  isSpoiler?: boolean;
  /** Whether the message still tells of it, but its links do not open any more. */
  isLost?: boolean;
  /** Only a voice message has it. */
  voice?: { seconds: number; waveform: string };
}

export interface Poll {
  question: string;
  answers: { id: number; text: string; voterIds: Set<string> }[];
  /** Milliseconds since the epoch. */
  endsAt: number;
  isFinal: boolean;
}

/** What a message refers to: the message that a reply or a system message is about, or the forwarded message. */
export interface Reference {
  /** 0 for a reference, and 1 for a forward. */
  type: 0 | 1;
  channelId: string;
  guildId: string;
  messageId?: string;
}

/** The content of a message at the time when it was forwarded. */
export type Snapshot = Pick<
  Message,
  'type' | 'content' | 'attachments' | 'embeds' | 'components' | 'stickers' | 'flags'
> & { id: string; channelId: string; editedMicros: number | null };

export interface Message {
  id: string;
  channelId: string;
  guildId: string;
  /** The platform's number of the type (MessageType). */
  type: number;
  /** The id of the webhook, where `webhook` is set. */
  authorId: string;
  webhook?: { name: string; avatar: string | null };
  content: string;
  /** Microseconds since the epoch. */
  editedMicros: number | null;
  pinnedAt: number | null;
  flags: number;
  mentionIds: string[];
  mentionRoleIds: string[];
  mentionsEveryone: boolean;
  attachments: Attachment[];
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  stickers: APIStickerItem[];
  reactions: Reaction[];
  poll?: Poll;
  reference?: Reference;
  snapshot?: Snapshot;
  /** The command that this message answers. */
  command?: { id: string; name: string; userId: string };
}
