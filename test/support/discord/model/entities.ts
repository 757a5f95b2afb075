import type {
  APIEmbed,
  APIMessageTopLevelComponent,
  APIStickerItem,
  ChannelType,
} from 'discord-api-types/v10';

/** An account. A webhook's author is no account: see `Message.webhook`. */
export interface User {
  id: string;
  username: string;
  globalName: string | null;
  /** '0' for accounts of the newer kind. */
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
  /** The bot that the role belongs to. */
  botId: string | null;
}

/** Somebody in a guild. */
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
  /** 1 and 3 are restricted to adults. */
  nsfwLevel: 0 | 1 | 2 | 3;
  /** The role of everybody has the guild's id. */
  roles: Map<string, Role>;
  members: Map<string, Member>;
  isUnavailable: boolean;
}

/** What a channel grants or refuses to a role (0) or a member (1). */
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

/** A channel of a guild that is no thread. */
export interface Channel {
  id: string;
  guildId: string;
  type: GuildChannelKind;
  name: string;
  topic: string | null;
  /** The category. */
  parentId: string | null;
  position: number;
  isNsfw: boolean;
  isSpoiler: boolean;
  requiresTag: boolean;
  overwrites: Overwrite[];
  tags: Tag[];
  slowModeSeconds: number;
  /** In a forum the newest thread. */
  lastMessageId: string | null;
  lastPinAt: number | null;
}

export interface Thread {
  id: string;
  guildId: string;
  /** The forum or text channel. */
  parentId: string;
  ownerId: string;
  name: string;
  isArchived: boolean;
  isLocked: boolean;
  isPinned: boolean;
  /** Microseconds since the epoch: of the last change of the archived state, or of the creation. */
  archiveMicros: number;
  autoArchiveMinutes: 60 | 1440 | 4320 | 10080;
  appliedTagIds: string[];
  slowModeSeconds: number;
  /** Without the starter of a forum post and without what was deleted. */
  messageCount: number;
  /** Never goes down. */
  totalMessagesSent: number;
  lastMessageId: string | null;
  lastPinAt: number | null;
}

export interface Emoji {
  /** Null for a standard one. */
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
  /** Of a voice message. */
  voice?: { seconds: number; waveform: string };
}

export interface Poll {
  question: string;
  answers: { id: number; text: string; voterIds: Set<string> }[];
  /** Milliseconds since the epoch. */
  endsAt: number;
  isFinal: boolean;
}

/** What a message points to: a reply's or a system line's message, or what was forwarded. */
export interface Reference {
  /** 0 a reference, 1 a forward. */
  type: 0 | 1;
  channelId: string;
  guildId: string;
  messageId?: string;
}

/** What a forwarded message said when it was forwarded. */
export type Snapshot = Pick<
  Message,
  'type' | 'content' | 'attachments' | 'embeds' | 'components' | 'stickers' | 'flags'
> & { id: string; channelId: string; editedMicros: number | null };

export interface Message {
  id: string;
  channelId: string;
  guildId: string;
  /** The platform's number of the kind (MessageType). */
  type: number;
  /** The webhook's id where `webhook` is set. */
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
  /** The command that this answers. */
  command?: { id: string; name: string; userId: string };
}
