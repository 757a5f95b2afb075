/**
 * The write model: what the sources said, one document a thing. Everything else can be rebuilt from these.
 *
 * Times called `asOf` and `stamps` are microseconds since the epoch at which the source was read (an export's
 * `exportedAt`; of live data raised above all exports, see sourceTime.ts); every other time is a Date. Ids are
 * snowflakes as strings, never numbers.
 */

/** For each field, when the value was true (see mergeFields); a field without a value was never told. */
export type Stamps = Record<string, number>;

/** A server (guild) as its sources describe it. `icon` is the bare hash. */
export interface ServerRecord {
  _id: string;
  name: string;
  icon?: string | null;
  description?: string | null;
  memberCount?: number;
  /** Removed here: nothing of it is shown, nothing of a source is taken. */
  deleted?: boolean;
  stamps: Stamps;
}

/** A tag that a forum offers, in the forum's order. */
export interface AvailableTag {
  id: string;
  name: string;
  emoji: string | null;
  moderated: boolean;
}

/** A channel that holds threads: a forum (type 15), or a text channel (0) with public threads. */
export interface ChannelRecord {
  _id: string;
  serverId: string;
  name: string;
  type?: number;
  topic?: string | null;
  position?: number;
  parentId?: string | null;
  parentName?: string | null;
  availableTags?: AvailableTag[];
  /** Removed here: nothing of it is shown, nothing of a source is taken. */
  deleted?: boolean;
  /** Since when it is not public any more. It is shown nowhere, and what was said there is removed within a day. */
  withheldAt?: Date;
  stamps: Stamps;
}

/** A thread as its sources describe it. */
export interface ThreadRecord {
  _id: string;
  serverId: string;
  channelId: string;
  title: string;
  ownerId?: string | null;
  /** Tag ids, in the order applied. */
  appliedTags?: string[];
  archived?: boolean;
  archivedAt?: Date | null;
  locked?: boolean;
  lockedAt?: Date | null;
  pinned?: boolean;
  stamps: Stamps;
  /** The latest `asOf` of the thread, its messages and its surroundings. */
  asOf: number;
  /** Removed here: only what keeps it from coming back is left. */
  deleted?: boolean;
  /**
   * Keyed hashes of titles that are never taken again: they named somebody who was erased, or were the words of somebody
   * who was erased when nobody else had written in the thread.
   */
  redactedTitles?: string[];
  /** The version of the erasures by which erased people were last taken out of the thread's records. */
  cleanedFor?: number;
}

/** Who wrote something, as the source saw them then. `avatar` is a full https URL. */
export interface AuthorSnapshot {
  id: string;
  username: string;
  displayName: string;
  discriminator: string | null;
  avatar: string;
  isBot: boolean;
}

export interface AttachmentRecord {
  id: string;
  filename: string;
  url: string;
  contentType: string | null;
  size: number;
  width: number | null;
  height: number | null;
  /** What its author says that it shows, for those who cannot see it; absent where nothing was said. */
  description?: string;
  /** Not to be shown before the reader asks for it. */
  spoiler?: true;
}

export interface EmbedMedia {
  url: string;
  width: number | null;
  height: number | null;
}

export interface EmbedRecord {
  type: string;
  title: string | null;
  description: string | null;
  url: string | null;
  timestamp: Date | null;
  /** 0xRRGGBB. */
  color: number | null;
  author: { name: string; url: string | null; iconUrl: string | null } | null;
  footer: { text: string; iconUrl: string | null } | null;
  thumbnail: EmbedMedia | null;
  images: EmbedMedia[];
  video: EmbedMedia | null;
  fields: { name: string; value: string; inline: boolean }[];
}

/** `id` is null for a standard (Unicode) emoji. */
export interface ReactionRecord {
  emoji: { id: string | null; name: string; animated: boolean };
  count: number;
  /** Those who reacted, as far as the source told (may be fewer than count). */
  userIds: string[];
}

export interface StickerRecord {
  id: string;
  name: string;
  format: string;
  url: string;
}

/**
 * When parts of a message were told: the author's display name, how many reacted, who did, the text, and the display
 * names of those whom it mentions.
 */
export interface PartTimes {
  displayName?: number;
  reactions?: number;
  reactors?: number;
  text?: number;
  mentionNames?: number;
}

/** A message as said. `content` is raw platform markdown with ids restored (`<@id>`, `<:name:id>`). */
export interface MessageRecord {
  _id: string;
  threadId: string;
  /** The platform's message type number. */
  type: number;
  /** True for what a person or bot said; notices (pins, renames, joins) are recorded, not shown or counted. */
  counted: boolean;
  author: AuthorSnapshot;
  /** Written by a webhook: its author has no account. */
  webhook?: true;
  content: string;
  createdAt: Date;
  editedAt: Date | null;
  pinned: boolean;
  attachments: AttachmentRecord[];
  embeds: EmbedRecord[];
  stickers: StickerRecord[];
  reactions: ReactionRecord[];
  mentions: { id: string; username: string; displayName: string; isBot: boolean }[];
  reference: {
    type: 'reply' | 'forward';
    messageId: string | null;
    channelId: string | null;
    guildId: string | null;
  } | null;
  forwarded: {
    content: string;
    createdAt: Date | null;
    editedAt: Date | null;
    attachments: AttachmentRecord[];
    embeds: EmbedRecord[];
    stickers: StickerRecord[];
  } | null;
  interaction: { id: string; name: string; userId: string; username: string } | null;
  /** Roles it mentions, named as they were then; absent where none is, or the source names none. */
  mentionedRoles?: { id: string; name: string }[];
  asOf: number;
  /** Parts that were told at another time than `asOf`; 0 for never. */
  partsAsOf?: PartTimes;
  /** Sorts a thread's messages by time, then by id as a number. */
  order: string;
  /** Removed here: its words are gone, its id is kept so that no source brings it back. */
  deleted?: boolean;
}

/** What the archive keeps of a server or channel for itself. */
export type Bookkeeping = 'stamps' | 'deleted' | 'withheldAt';

/** What one source file says, before it is merged into the records: fields that are absent were not told. */
export interface SourceThread {
  asOf: number;
  server: Omit<ServerRecord, Bookkeeping>;
  channel: Omit<ChannelRecord, Bookkeeping>;
  /** Null where the file describes only a forum (no thread). */
  thread: Omit<
    ThreadRecord,
    'stamps' | 'asOf' | 'deleted' | 'redactedTitles' | 'cleanedFor'
  > | null;
}

/** A message of a source, before it is merged. */
export type SourceMessage = Omit<MessageRecord, 'deleted' | 'order'>;
