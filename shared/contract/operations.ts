import Joi from 'joi';
import { adminOperations } from './adminOperations.js';
import { authOperations } from './authOperations.js';
import type { ErrorCode } from './errors.js';
import { fileLinkSchema } from './files.js';
import { text } from './fields.js';
import { apiIndexSchema, healthSchema, readinessSchema } from './health.js';
import { nothing, operation } from './operation.js';
import {
  searchQuerySchema,
  searchResponseSchema,
  suggestQuerySchema,
  suggestResponseSchema,
} from './search.js';
import { similarThreadsSchema } from './similar.js';
import {
  channelListSchema,
  serverListSchema,
  serverSchema,
  serverStatsSchema,
  tagListSchema,
} from './servers.js';
import {
  participantListSchema,
  threadDetailSchema,
  threadListQuerySchema,
  threadPageSchema,
} from './threads.js';
import { leaderboardQuerySchema, leaderboardSchema, userProfileSchema } from './users.js';

const serverParams = Joi.object<{ serverId: string }, true>({ serverId: text('Server id') });
const threadParams = Joi.object<{ threadId: string }, true>({ threadId: text('Thread id') });
const userParams = Joi.object<{ userId: string }, true>({ userId: text('User id') });

const GET = { method: 'get', access: 'public', params: nothing, query: nothing } as const;
/** Answers with the file where the archive has a copy of it, else with a redirect to its address. */
const FILE = { file: true, status: 302, response: fileLinkSchema } as const;
const FIND: readonly ErrorCode[] = ['NOT_FOUND', 'UNAVAILABLE'];
const LIST: readonly ErrorCode[] = ['UNAVAILABLE'];
/** Headers that tell what the service's caches did for an answer. */
const CACHE_HEADERS = {
  'X-Cache': 'HIT from the cache, MISS when just loaded, BYPASS while the cache is away',
  'X-Cache-TTL': 'How long the cached answer still lasts at most (whole seconds)',
};

/** Every operation of the API, by operationId. */
export const operations = {
  getIndex: operation({
    ...GET,
    operationId: 'getIndex',
    paths: ['/'],
    summary: 'What this is and where to go on',
    response: apiIndexSchema,
    errors: [],
  }),
  getOpenApi: operation({
    ...GET,
    operationId: 'getOpenApi',
    paths: ['/openapi.json'],
    summary: 'This document',
    response: Joi.object().unknown(),
    errors: [],
  }),
  getHealth: operation({
    ...GET,
    operationId: 'getHealth',
    paths: ['/healthz'],
    limitedAs: 'nothing',
    summary: 'Whether the process is alive',
    response: healthSchema,
    errors: [],
  }),
  getReadiness: operation({
    ...GET,
    operationId: 'getReadiness',
    paths: ['/readyz'],
    limitedAs: 'nothing',
    summary: 'Whether every store answers; else 503 with each store’s state',
    response: readinessSchema,
    errors: ['UNAVAILABLE'],
  }),
  listServers: operation({
    ...GET,
    operationId: 'listServers',
    paths: ['/api/servers'],
    summary: 'Every archived server',
    response: serverListSchema,
    errors: LIST,
  }),
  getServer: operation({
    ...GET,
    operationId: 'getServer',
    paths: ['/api/servers/:serverId'],
    summary: 'One server',
    params: serverParams,
    response: serverSchema,
    errors: FIND,
  }),
  listChannels: operation({
    ...GET,
    operationId: 'listChannels',
    paths: ['/api/servers/:serverId/channels'],
    summary: 'Forum channels of a server',
    params: serverParams,
    response: channelListSchema,
    errors: FIND,
  }),
  listTags: operation({
    ...GET,
    operationId: 'listTags',
    paths: ['/api/servers/:serverId/tags'],
    summary: 'Tags across the forum channels of a server',
    params: serverParams,
    response: tagListSchema,
    errors: FIND,
  }),
  getServerStats: operation({
    ...GET,
    operationId: 'getServerStats',
    paths: ['/api/servers/:serverId/stats'],
    summary: 'Statistics of a server, cached for 60 seconds',
    params: serverParams,
    response: serverStatsSchema,
    errors: FIND,
    headers: CACHE_HEADERS,
  }),
  listThreads: operation({
    ...GET,
    operationId: 'listThreads',
    paths: ['/api/threads'],
    summary: 'Threads, filtered, sorted and paged by cursor',
    query: threadListQuerySchema,
    response: threadPageSchema,
    errors: LIST,
  }),
  getThread: operation({
    ...GET,
    operationId: 'getThread',
    paths: ['/api/threads/:threadId'],
    summary: 'One thread with all its messages',
    params: threadParams,
    response: threadDetailSchema,
    errors: FIND,
  }),
  listParticipants: operation({
    ...GET,
    operationId: 'listParticipants',
    paths: ['/api/threads/:threadId/participants'],
    summary: 'Who wrote in a thread',
    params: threadParams,
    response: participantListSchema,
    errors: FIND,
  }),
  listSimilarThreads: operation({
    ...GET,
    operationId: 'listSimilarThreads',
    paths: ['/api/threads/:threadId/similar'],
    summary: 'Threads of the same server about similar things',
    params: threadParams,
    response: similarThreadsSchema,
    errors: FIND,
  }),
  openAttachment: operation({
    ...GET,
    operationId: 'openAttachment',
    paths: ['/attachments/:messageId/:attachmentId', '/api/attachments/:messageId/:attachmentId'],
    summary: 'An attachment, or a redirect to where it can be fetched now',
    ...FILE,
    params: Joi.object<{ messageId: string; attachmentId: string }, true>({
      messageId: text('Message id'),
      attachmentId: text('Attachment id'),
    }),
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'NOT_CONFIGURED'],
    headers: { Location: 'Where the file is, for a day at most' },
  }),
  openAvatar: operation({
    ...GET,
    operationId: 'openAvatar',
    paths: ['/avatars/:userId', '/api/avatars/:userId'],
    summary: 'The picture of somebody who wrote, or a redirect to it',
    ...FILE,
    params: userParams,
    errors: FIND,
    headers: { Location: 'Where the picture is' },
  }),
  openIcon: operation({
    ...GET,
    operationId: 'openIcon',
    paths: ['/icons/:serverId', '/api/icons/:serverId'],
    summary: 'The icon of a server, or a redirect to it',
    ...FILE,
    params: serverParams,
    errors: FIND,
    headers: { Location: 'Where the picture is' },
  }),
  searchArchive: operation({
    ...GET,
    operationId: 'searchArchive',
    limitedAs: 'search',
    paths: ['/api/search'],
    summary: 'Full-text search over threads and messages',
    query: searchQuerySchema,
    response: searchResponseSchema,
    errors: LIST,
    headers: CACHE_HEADERS,
  }),
  suggestTitles: operation({
    ...GET,
    operationId: 'suggestTitles',
    limitedAs: 'search',
    paths: ['/api/suggest'],
    summary: 'Threads whose titles begin with, or hold, what was typed so far',
    query: suggestQuerySchema,
    response: suggestResponseSchema,
    errors: LIST,
    headers: CACHE_HEADERS,
  }),
  getUser: operation({
    ...GET,
    operationId: 'getUser',
    paths: ['/users/:userId', '/api/users/:userId'],
    summary: 'One user and the threads they last wrote in',
    params: userParams,
    response: userProfileSchema,
    errors: FIND,
  }),
  getLeaderboard: operation({
    ...GET,
    operationId: 'getLeaderboard',
    paths: ['/leaderboard/:serverId', '/api/leaderboard/:serverId'],
    summary: 'Who wrote most, started most threads, or received most reactions on a server',
    params: serverParams,
    query: leaderboardQuerySchema,
    response: leaderboardSchema,
    errors: FIND,
  }),
  ...authOperations,
  ...adminOperations,
} as const;
