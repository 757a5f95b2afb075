/** Thread lists, threads with their messages, and participants. */
import Joi from 'joi';
import {
  count,
  cursorParameter,
  filterParameter,
  flag,
  id,
  limitParameter,
  listOf,
  nullableCount,
  nullablePixels,
  nullableText,
  nullableTime,
  oneOf,
  pageEnd,
  text,
  time,
} from './fields.js';

export const THREAD_STATUSES = ['open', 'resolved', 'locked', 'archived'] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];

/** What the statuses say, for the document. */
export const STATUS_MEANING =
  'The first that applies of locked, resolved (a tag says so), archived (it was quiet for long) and open';

export const THREAD_STATUS_FILTERS = ['open', 'resolved', 'locked', 'all'] as const;
export type ThreadStatusFilter = (typeof THREAD_STATUS_FILTERS)[number];

/** The sorts of the thread list, and what each one shows. */
const SORT_MEANINGS = {
  latest: 'newest first',
  oldest: 'oldest first',
  popular: 'most messages first',
  recently_active: 'last message first',
  unanswered: 'threads without a reply, oldest first',
};
export type ThreadSort = keyof typeof SORT_MEANINGS;
export const THREAD_SORTS = Object.keys(SORT_MEANINGS) as [ThreadSort, ...ThreadSort[]];

/** Who started a thread, in lists. `username` is the account name, `displayName` the name a reader would have seen. */
export interface ThreadAuthor {
  id: string;
  username: string;
  displayName: string;
  avatar: string;
}

/** How somebody is shown. */
const shownFields = {
  username: text('Account name'),
  displayName: text(
    'Name a reader would have seen: server nickname, else global name, else account name',
  ),
  avatar: text('Address of the picture, of the platform or of this service'),
};

/** Checks a ThreadAuthor. */
export const threadAuthorSchema = Joi.object<ThreadAuthor, true>({
  id: id('User id'),
  ...shownFields,
})
  .required()
  .description('Who started the thread');

/** Who wrote a message. */
export interface MessageAuthor extends ThreadAuthor {
  isBot: boolean;
}

/** Checks a MessageAuthor. */
export const messageAuthorSchema = Joi.object<MessageAuthor, true>({
  id: id('User id'),
  ...shownFields,
  isBot: flag('Whether this is a bot'),
})
  .required()
  .description('Who wrote it');

/** A thread as lists show it. Timestamps are ISO 8601, UTC, with milliseconds. */
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

/** Checks a ThreadSummary. */
export const threadSummarySchema = Joi.object<ThreadSummary, true>({
  id: id('Thread id'),
  title: text('Title'),
  slug: text('URL-friendly form of the title: a-z, 0-9 and hyphens, at most 80 characters'),
  preview: text(
    "First 200 characters of the first message, in the platform's markdown, with names for ids",
  ),
  status: oneOf(THREAD_STATUSES, STATUS_MEANING),
  messageCount: count('Messages in the thread, the first one included'),
  author: threadAuthorSchema,
  tags: listOf(Joi.string(), 'Names of the applied tags'),
  serverId: id('Server id'),
  channelId: id('Channel id'),
  channelName: text('Name of the channel'),
  pinned: flag('Whether it is pinned in its forum'),
  createdAt: time('When it was created'),
  lastActivityAt: time('When its last message was written'),
}).description('A thread in a list');

/** A page of a thread list. `nextCursor` is null on the last page. */
export interface ThreadPage {
  threads: ThreadSummary[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** Checks a ThreadPage. */
export const threadPageSchema = Joi.object<ThreadPage, true>({
  threads: listOf(threadSummarySchema, 'The threads of this page, in order'),
  ...pageEnd(),
});

/** Query of GET /api/threads. */
export interface ThreadListQuery {
  serverId?: string;
  channelId?: string;
  tag?: string;
  status: ThreadStatusFilter;
  sort: ThreadSort;
  limit: number;
  cursor?: string;
}

/** Checks a ThreadListQuery. */
export const threadListQuerySchema = Joi.object<ThreadListQuery, true>({
  serverId: filterParameter('Only threads of this server'),
  channelId: filterParameter('Only threads of this channel'),
  tag: filterParameter('Only threads with this tag: the whole name, ignoring case'),
  status: Joi.string()
    .valid(...THREAD_STATUS_FILTERS)
    .default('all')
    .description('Only threads with this status; archived ones are only among all'),
  sort: Joi.string()
    .valid(...THREAD_SORTS)
    .default('latest')
    .description(
      Object.entries(SORT_MEANINGS)
        .map(([name, meaning]) => `${name}: ${meaning}`)
        .join('; '),
    ),
  limit: limitParameter(),
  cursor: cursorParameter(),
});

/**
 * A file of a message. `url` is the platform's address. `size` is in bytes, 0 where the source did not tell. Width and
 * height are in pixels, null where the source did not tell.
 */
export interface Attachment {
  id: string;
  filename: string;
  url: string;
  contentType: string | null;
  size: number;
  width: number | null;
  height: number | null;
  description: string | null;
  spoiler: boolean;
}

/** Checks an Attachment. */
export const attachmentSchema = Joi.object<Attachment, true>({
  id: id('Attachment id'),
  filename: text('Name of the file'),
  url: text('Address of the file; a link in an export ends about a day after it was made'),
  contentType: nullableText('MIME type; null where the source did not tell'),
  size: count('Size (bytes); 0 where the source did not tell'),
  width: nullablePixels('Width of a picture or video'),
  height: nullablePixels('Height of a picture or video'),
  description: nullableText('What it shows, in its author’s words; null where they gave none'),
  spoiler: Joi.boolean().required().description('Not to be shown before the reader asks for it'),
}).description('A file attached to a message');

export interface Reaction {
  emoji: string;
  /** The custom emoji's id, null for a standard one. */
  emojiId: string | null;
  count: number;
}

/** Checks a Reaction. */
export const reactionSchema = Joi.object<Reaction, true>({
  emoji: text('The emoji, or the name of a custom one'),
  emojiId: nullableText(
    'Id of a custom emoji, whose picture is https://cdn.discordapp.com/emojis/<id>.webp; null for a standard one',
  ),
  count: count('How many reacted with it'),
}).description('An emoji that readers reacted with');

export interface EmbedMediaBody {
  url: string;
  width: number | null;
  height: number | null;
}

/** Checks an EmbedMediaBody. */
export const embedMediaSchema = Joi.object<EmbedMediaBody, true>({
  url: text('Address of the picture or video, on a host that anybody may have chosen'),
  width: nullablePixels('Width'),
  height: nullablePixels('Height'),
});

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

const NAMED = 'names stand for mentions where they are known, as in `@Ada`';

/** Checks an Embed. */
export const embedSchema = Joi.object<Embed, true>({
  type: text('Kind of embed, such as rich'),
  title: nullableText(`Title; ${NAMED}`),
  description: nullableText(`Text, in the platform's markdown; ${NAMED}`),
  url: nullableText('Address the title leads to'),
  color: nullableCount('Colour of the edge (0xRRGGBB as a number)'),
  timestamp: nullableTime('Time shown in it'),
  thumbnail: embedMediaSchema.allow(null).required().description('Small picture'),
  images: listOf(embedMediaSchema, 'Large pictures'),
  video: embedMediaSchema
    .allow(null)
    .required()
    .description('Video; where type is not gifv, maybe a page with a player'),
  author: Joi.object<NonNullable<Embed['author']>, true>({
    name: text('Name'),
    url: nullableText('Address'),
    iconUrl: nullableText('Address of the picture'),
  })
    .allow(null)
    .required()
    .description('Author line'),
  footer: Joi.object<NonNullable<Embed['footer']>, true>({
    text: text('Text'),
    iconUrl: nullableText('Address of the picture'),
  })
    .allow(null)
    .required()
    .description('Footer line'),
  fields: listOf(
    Joi.object<Embed['fields'][number], true>({
      name: text(`Heading; ${NAMED}`),
      value: text(`Text, in the platform's markdown; ${NAMED}`),
      inline: flag('Whether it may stand beside the next'),
    }),
    'Headed pieces of text',
  ),
}).description('A card shown below a message');

export interface Sticker {
  id: string;
  name: string;
  format: string;
  url: string;
}

/** Checks a Sticker. */
export const stickerSchema = Joi.object<Sticker, true>({
  id: id('Sticker id'),
  name: text('Name'),
  format: text('File format: Png, Apng, Gif or Lottie'),
  url: text('Address of the picture; of a Lottie sticker, its animation as JSON'),
}).description('A sticker sent with a message');

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

const HTML =
  'Text as sanitised HTML, to be shown as it is; docs/website.md lists its elements and classes';

/** Checks a ForwardedMessage. */
export const forwardedMessageSchema = Joi.object<ForwardedMessage, true>({
  content: text("Text, in the platform's markdown"),
  contentHtml: text(HTML),
  attachments: listOf(attachmentSchema, 'Files'),
  embeds: listOf(embedSchema, 'Cards'),
  stickers: listOf(stickerSchema, 'Stickers'),
  createdAt: nullableTime('When it was written'),
  editedAt: nullableTime('When it was last edited'),
});

/** A message of a thread. `content` is the platform's markdown, `contentHtml` its sanitised rendering. */
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

/** Checks a Message. */
export const messageSchema = Joi.object<Message, true>({
  id: id('Message id'),
  content: text("Text, in the platform's markdown"),
  contentHtml: text(HTML),
  author: messageAuthorSchema,
  attachments: listOf(attachmentSchema, 'Files'),
  reactions: listOf(reactionSchema, 'Reactions'),
  embeds: listOf(embedSchema, 'Cards'),
  stickers: listOf(stickerSchema, 'Stickers'),
  replyTo: Joi.object<NonNullable<Message['replyTo']>, true>({
    messageId: id('Message answered; a deleted one is not among the messages'),
    threadId: nullableText('Thread of that message; null where it is not archived'),
  })
    .allow(null)
    .required()
    .description('The message answered; null when it is no reply'),
  forwarded: forwardedMessageSchema
    .allow(null)
    .required()
    .description('The message copied from elsewhere; null when there is none'),
  interaction: Joi.object<NonNullable<Message['interaction']>, true>({
    name: text('Command'),
    userId: id('Who gave the command'),
    username: text('Account name of who gave the command'),
  })
    .allow(null)
    .required()
    .description('The slash command this answers; null when it answers none'),
  pinned: flag('Whether it is pinned in its thread'),
  createdAt: time('When it was written'),
  editedAt: nullableTime('When it was last edited'),
}).description('What a person or bot said');

/** A thread: everything but `messages`, which stands between `channelName` and `messageCount`. */
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

/** Checks a ThreadDetail. */
export const threadDetailSchema = Joi.object<ThreadDetail, true>({
  id: id('Thread id'),
  title: text('Title'),
  slug: text('URL-friendly form of the title: a-z, 0-9 and hyphens, at most 80 characters'),
  status: oneOf(THREAD_STATUSES, STATUS_MEANING),
  author: messageAuthorSchema.description('Who started the thread'),
  tags: listOf(Joi.string(), 'Names of the applied tags'),
  serverId: id('Server id'),
  channelId: id('Channel id'),
  channelName: text('Name of the channel'),
  pinned: flag('Whether it is pinned in its forum'),
  messages: listOf(messageSchema, 'All messages, oldest first'),
  messageCount: count('Messages in the thread, the first one included'),
  createdAt: time('When it was created'),
  lastActivityAt: time('When its last message was written'),
  archivedAt: nullableTime('When it was archived'),
  lockedAt: nullableTime('When it was locked'),
});

/** Somebody who wrote in a thread. */
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

/** Checks a Participant. */
export const participantSchema = Joi.object<Participant, true>({
  userId: id('User id; that of a webhook has no profile'),
  ...shownFields,
  isBot: flag('Whether this is a bot'),
  messageCount: count('Messages they wrote in the thread'),
  firstMessageAt: time('When they first wrote'),
  lastMessageAt: time('When they last wrote'),
}).description('Who wrote in a thread');

/** Who wrote in a thread: most messages first, then id. */
export interface ParticipantList {
  total: number;
  humans: number;
  bots: number;
  participants: Participant[];
}

/** Checks a ParticipantList. */
export const participantListSchema = Joi.object<ParticipantList, true>({
  total: count('Everyone who wrote'),
  humans: count('People among them'),
  bots: count('Bots among them'),
  participants: listOf(participantSchema, 'Most messages first, then by id'),
});
