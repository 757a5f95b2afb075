/** SPEC 2.4 to 2.7 and 4.5 to 4.7: threads, messages, participants. */

export const THREAD_STATUSES = ['open', 'resolved', 'locked', 'archived'] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];

export const THREAD_STATUS_FILTERS = ['open', 'resolved', 'locked', 'all'] as const;
export type ThreadStatusFilter = (typeof THREAD_STATUS_FILTERS)[number];

export const THREAD_SORTS = [
  'latest',
  'oldest',
  'popular',
  'recently_active',
  'unanswered',
] as const;
export type ThreadSort = (typeof THREAD_SORTS)[number];

/** Who started a thread, in lists. `username` is the account name, `displayName` the name a reader would have seen. */
export interface ThreadAuthor {
  id: string;
  username: string;
  displayName: string;
  avatar: string;
}

/** Who wrote a message. */
export interface MessageAuthor extends ThreadAuthor {
  isBot: boolean;
}

/** SPEC 2.4. Timestamps are ISO 8601, UTC, with milliseconds. */
export interface ThreadSummary {
  id: string;
  title: string;
  slug: string;
  preview: string;
  status: ThreadStatus;
  messageCount: number;
  author: ThreadAuthor;
  tags: string[];
  serverId: string;
  channelId: string;
  channelName: string;
  pinned: boolean;
  createdAt: string;
  lastActivityAt: string;
}

/** SPEC 4.5. `nextCursor` is null on the last page. */
export interface ThreadPage {
  threads: ThreadSummary[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** SPEC 2.6. `url` is the platform's address; sizes are bytes and pixels, null where the source did not tell. */
export interface Attachment {
  id: string;
  filename: string;
  url: string;
  contentType: string | null;
  size: number;
  width: number | null;
  height: number | null;
}

export interface Reaction {
  emoji: string;
  /** The custom emoji's id, null for a standard one. */
  emojiId: string | null;
  count: number;
}

export interface EmbedMediaBody {
  url: string;
  width: number | null;
  height: number | null;
}

export interface Embed {
  type: string;
  title: string | null;
  description: string | null;
  url: string | null;
  color: number | null;
  timestamp: string | null;
  thumbnail: EmbedMediaBody | null;
  images: EmbedMediaBody[];
  video: EmbedMediaBody | null;
  author: { name: string; url: string | null; iconUrl: string | null } | null;
  footer: { text: string; iconUrl: string | null } | null;
  fields: { name: string; value: string; inline: boolean }[];
}

export interface Sticker {
  id: string;
  name: string;
  format: string;
  url: string;
}

/** A message copied from elsewhere. */
export interface ForwardedMessage {
  content: string;
  contentHtml: string;
  attachments: Attachment[];
  embeds: Embed[];
  stickers: Sticker[];
  createdAt: string | null;
  editedAt: string | null;
}

/** SPEC 2.6. `content` is the platform's markdown, `contentHtml` its sanitised rendering. */
export interface Message {
  id: string;
  content: string;
  contentHtml: string;
  author: MessageAuthor;
  attachments: Attachment[];
  reactions: Reaction[];
  embeds: Embed[];
  stickers: Sticker[];
  /** The message answered, null when it is no reply. */
  replyTo: { messageId: string; threadId: string | null } | null;
  forwarded: ForwardedMessage | null;
  /** The slash command this answers, null when none. */
  interaction: { name: string; userId: string; username: string } | null;
  pinned: boolean;
  createdAt: string;
  editedAt: string | null;
}

/** SPEC 2.5: everything but `messages`, which stands between `channelName` and `messageCount`. */
export interface ThreadDetail {
  id: string;
  title: string;
  slug: string;
  status: ThreadStatus;
  author: MessageAuthor;
  tags: string[];
  serverId: string;
  channelId: string;
  channelName: string;
  pinned: boolean;
  messages: Message[];
  messageCount: number;
  createdAt: string;
  lastActivityAt: string;
  archivedAt: string | null;
  lockedAt: string | null;
}

/** SPEC 2.7. */
export interface Participant {
  userId: string;
  username: string;
  displayName: string;
  avatar: string;
  isBot: boolean;
  messageCount: number;
  firstMessageAt: string;
  lastMessageAt: string;
}

/** SPEC 4.7. Most messages first, then id. */
export interface ParticipantList {
  total: number;
  humans: number;
  bots: number;
  participants: Participant[];
}
