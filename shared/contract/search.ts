/** Full-text search, and completion of titles. */
import Joi from 'joi';
import {
  atMost,
  count,
  filterParameter,
  givenTime,
  id,
  limitParameter,
  listOf,
  oneOf,
  text,
  time,
  wholeNumberParameter,
} from './fields.js';
import { STATUS_MEANING, THREAD_STATUSES, THREAD_STATUS_FILTERS } from './threads.js';
import type { ThreadStatus, ThreadStatusFilter } from './threads.js';

/** What `type` may be. */
export const SEARCH_TYPES = ['threads', 'messages', 'all'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** The most characters of a query, and how far paging reaches. */
export const SEARCH_LIMITS = { characters: 512, results: 10_000 } as const;

/** The query of GET /search, checked and completed. Times are ISO 8601, UTC, with milliseconds. */
export interface SearchParams {
  q: string;
  serverId?: string;
  channelId?: string;
  type: SearchType;
  limit: number;
  offset: number;
  minScore: number;
  tag?: string;
  status: ThreadStatusFilter;
  authorId?: string;
  after?: string;
  before?: string;
  hasAttachment?: boolean;
}

/** The query of GET /suggest. */
export interface SuggestParams {
  q: string;
  serverId?: string;
  channelId?: string;
}

/** Escaped HTML with `<mark>` around what matched. */
export interface Highlights {
  title?: string;
  content?: string;
}

/** Who started the thread, or wrote the message. */
export interface ResultAuthor {
  id: string;
  username: string;
  displayName: string;
}

/** A thread that was found. `score` is absolute, 0 to 1. */
export interface ThreadResult {
  id: string;
  title: string;
  slug: string;
  preview: string;
  status: ThreadStatus;
  author: ResultAuthor;
  tags: string[];
  serverId: string;
  channelId: string;
  channelName: string;
  messageCount: number;
  score: number;
  highlights: Highlights;
  createdAt: string;
}

/** A message that was found. `contentPreview` is the first 200 characters of what it says, as readers see it. */
export interface MessageResult {
  id: string;
  content: string;
  contentPreview: string;
  threadId: string;
  threadTitle: string;
  author: ResultAuthor;
  serverId: string;
  channelId: string;
  channelName: string;
  score: number;
  highlights: Highlights;
  createdAt: string;
}

/** A page of results over both kinds in one ranking, split into the two kinds. */
export interface SearchResponse {
  query: string;
  results: { threads: ThreadResult[]; messages: MessageResult[] };
  total: number;
  threadCount: number;
  messageCount: number;
  /**
   * Weaker matches, filled where no match of all terms is strong. They match some of the telling terms. There are at
   * most `limit` of them, and at most 20. They are not counted in the totals, and score below 0.5.
   */
  related: { threads: ThreadResult[]; messages: MessageResult[] };
  /** A corrected query that has matches; null unless this query has none. */
  suggestion: string | null;
}

/** GET /suggest: titles that begin as the query does, or hold words that begin so. */
export interface SuggestResponse {
  query: string;
  suggestions: { threadId: string; title: string; slug: string }[];
}

const queryText = atMost(SEARCH_LIMITS.characters)
  .pattern(/\S/)
  .required()
  .messages({ 'string.pattern.base': '{{#label}} must not be blank' });

const filter = (description: string) => atMost(100, filterParameter(description));

/** Checks SearchParams. */
export const searchQuerySchema = Joi.object<SearchParams, true>({
  q: queryText.description(
    'Words, which must all match, and "exact phrases"; at most 32 of them count',
  ),
  serverId: filter('Only this server'),
  channelId: filter('Only this channel'),
  type: Joi.string<SearchType>()
    .valid(...SEARCH_TYPES)
    .default('all')
    .description('What to look for; all ranks threads and messages together'),
  limit: limitParameter(),
  offset: wholeNumberParameter()
    .min(0)
    .max(Joi.ref('limit', { adjust: (limit: number) => SEARCH_LIMITS.results - limit }))
    .default(0)
    .messages({
      'number.max': '{{#label}} and limit together must not exceed 10000',
      'any.ref': '{{#label}} cannot be checked without a valid limit',
    })
    .meta({ jsonSchema: { maximum: SEARCH_LIMITS.results - 1 } })
    .description('Results to skip; offset + limit is at most 10000'),
  minScore: Joi.number()
    .min(0)
    .max(1)
    .default(0.5)
    .description(
      'The weakest match shown; below 0.5 typos and beginnings of words match too, and the search counts as five',
    ),
  tag: filter('Only threads with this tag (whole name, any case)'),
  status: Joi.string<ThreadStatusFilter>()
    .valid(...THREAD_STATUS_FILTERS)
    .default('all')
    .description('Only threads of this status, and their messages'),
  authorId: filter('Only threads that this person started and messages they wrote'),
  after: givenTime('Only what was created at this time or later (ISO 8601; UTC unless it says)'),
  before: givenTime('Only what was created before this time (ISO 8601; UTC unless it says)'),
  hasAttachment: Joi.boolean().description('Only threads and messages with (or without) files'),
});

/** Checks SuggestParams. */
export const suggestQuerySchema = Joi.object<SuggestParams, true>({
  q: queryText.description('The beginning of a title, as typed so far'),
  serverId: filter('Only this server'),
  channelId: filter('Only this channel'),
});

const score = Joi.number()
  .min(0)
  .max(1)
  .required()
  .description('Strength of the match, comparable between queries');

const authorSchema = Joi.object<ResultAuthor, true>({
  id: id('User id'),
  username: text('Account name'),
  displayName: text('The name a reader would have seen'),
})
  .required()
  .description('Who wrote it');

const highlightsSchema = Joi.object<Highlights, true>({
  title: Joi.string().description('Escaped HTML, matches in <mark>'),
  content: Joi.string().description('Escaped HTML of one passage, matches in <mark>'),
})
  .required()
  .description('Where the query was found; a part is absent where nothing of it matched');

/** Checks a ThreadResult. */
export const threadResultSchema = Joi.object<ThreadResult, true>({
  id: id('Thread id'),
  title: text('Title'),
  slug: text('URL form of the title'),
  preview: text(
    "First 200 characters of the first message, in the platform's markdown, with names for ids",
  ),
  status: oneOf(THREAD_STATUSES, STATUS_MEANING),
  author: authorSchema.description('Who started the thread'),
  tags: listOf(Joi.string().allow(''), 'Names of applied tags'),
  serverId: id('Server id'),
  channelId: id('Channel id'),
  channelName: text('Channel name'),
  messageCount: count('Messages, the first included'),
  score,
  highlights: highlightsSchema,
  createdAt: time('Creation'),
});

/** Checks a MessageResult. */
export const messageResultSchema = Joi.object<MessageResult, true>({
  id: id('Message id'),
  content: text(
    "What it says, in the platform's markdown: its content, or the texts of its embeds where that is empty; then descriptions of files, and the same of what it forwards",
  ),
  contentPreview: text('First 200 characters of that, with names for ids'),
  threadId: id('Thread id'),
  threadTitle: text('Title of the thread'),
  author: authorSchema,
  serverId: id('Server id'),
  channelId: id('Channel id'),
  channelName: text('Channel name'),
  score,
  highlights: highlightsSchema,
  createdAt: time('Creation'),
});

/** Checks a SearchResponse. */
export const searchResponseSchema = Joi.object<SearchResponse, true>({
  query: text('The query as submitted'),
  results: Joi.object<SearchResponse['results'], true>({
    threads: listOf(threadResultSchema, 'Threads, best first'),
    messages: listOf(messageResultSchema, 'Messages, best first'),
  })
    .required()
    .description('The page: threads and messages of one ranking, split by kind'),
  total: count('All matches: threadCount + messageCount'),
  threadCount: count('Threads that match'),
  messageCount: count('Messages that match'),
  related: Joi.object<SearchResponse['related'], true>({
    threads: listOf(threadResultSchema, 'Threads, best first'),
    messages: listOf(messageResultSchema, 'Messages, best first'),
  })
    .required()
    .description(
      'Matches of some of the telling words, one of each thread, with scores below 0.5; looked for on the first page where no match of all terms has 0.7 or more. At most `limit`, and at most 20; not counted in total, not paged',
    ),
  suggestion: Joi.string()
    .allow(null)
    .required()
    .description('A corrected query that matches, when this one is short and matches nothing'),
});

/** Checks a SuggestResponse. */
export const suggestResponseSchema = Joi.object<SuggestResponse, true>({
  query: text('The query as submitted'),
  suggestions: listOf(
    Joi.object<SuggestResponse['suggestions'][number], true>({
      threadId: id('Thread id'),
      title: text('Title'),
      slug: text('URL form of the title'),
    }),
    'Best first, at most 8',
  ),
});
