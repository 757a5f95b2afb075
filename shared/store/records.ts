/**
 * The write model: what the sources said, with one document for each thing. Everything else can be built again from
 * these.
 *
 * `asOf` and the values of `stamps` are the times at which a source was read, in microseconds since the epoch. Of an
 * export that is its `exportedAt`. Times of live data are raised above those of all exports (see sourceTime.ts). Every
 * other time is a Date. Ids are snowflakes as strings, never numbers.
 */

/** When the value of each field was true (see mergeFields). A field without a value here was never told. */
export type Stamps = Record<string, number>;

/** A server (guild) as its sources describe it. `icon` is the bare hash. */
export interface ServerRecord {
  _id: string;
  name: string;
  icon?: string | null;
  description?: string | null;
  memberCount?: number;
  /** It was deleted here. Nothing of it is shown, and nothing of a source is taken. */
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
  /** It was deleted here. Nothing of it is shown, and nothing of a source is taken. */
  deleted?: boolean;
  /** Since when it is not public any more. Nothing of it is shown, and its messages are removed within a day. */
  withheldAt?: Date;
  stamps: Stamps;
}

/** A thread as its sources describe it. */
export interface ThreadRecord {
  _id: string;
  serverId: string;
  channelId: string;
  title: string;
  ownerId?: string;
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
  /** It was deleted here. Only what keeps sources from bringing it back is left. */
  deleted?: boolean;
  /**
   * Keyed hashes of titles that are never taken again. Such a title named an erased person. Or it was written by an
   * erased person, while nobody else had written in the thread.
   */
  redactedTitles?: string[];
  /** The version of the erasures for which erased people were last taken out of the thread's records. */
  cleanedFor?: number;
}

/** The author of something, as the source saw them then. `avatar` is a full https URL. */
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
  /** A description by the author, for readers who cannot see the file. Absent where there is none. */
  description?: string;
  /** Must not be shown before the reader asks for it. */
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
  /** Who reacted, as far as the source told. These may be fewer than `count`. */
  userIds: string[];
}

export interface StickerRecord {
  id: string;
  name: string;
  format: string;
  url: string;
}

/**
 * When parts of a message were told: the author's display name, the number of reactions, who reacted, the text, and the
 * display names of the people whom it mentions.
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
  /**
   * True for something that a person or bot said. Notices (pins, renames, joins) are recorded, but not shown or
   * counted.
   */
  counted: boolean;
  author: AuthorSnapshot;
  /** A webhook wrote it, so its author has no account. */
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
    /** No source told the copy. Readers see none, but the original decides about this message as about any forward. */
    untold?: true;
  } | null;
  interaction: { id: string; name: string; userId: string; username: string } | null;
  /**
   * Roles that it mentions, with their names at that time. Absent where it mentions none, or the source does not tell.
   */
  mentionedRoles?: { id: string; name: string }[];
  asOf: number;
  /** Parts that were told at another time than `asOf`; 0 where a part was never told. */
  partsAsOf?: PartTimes;
  /** A key that sorts a thread's messages by time, and then by id as a number. */
  order: string;
  /** It was deleted here. Its words are gone, and its id keeps sources from bringing it back. */
  deleted?: boolean;
}

/** Fields of a server or channel that this archive keeps for itself. */
export type Bookkeeping = 'stamps' | 'deleted' | 'withheldAt';

/** What one source says, before it is merged into the records. Fields that are absent were not told. */
export interface SourceThread {
  asOf: number;
  server: Omit<ServerRecord, Bookkeeping>;
  channel: Omit<ChannelRecord, Bookkeeping>;
  /** Null where the source describes a forum alone. */
  thread: Omit<
    ThreadRecord,
    'stamps' | 'asOf' | 'deleted' | 'redactedTitles' | 'cleanedFor'
  > | null;
}

/** A message of a source, before it is merged. */
export type SourceMessage = Omit<MessageRecord, 'deleted' | 'order'>;
