import Joi from 'joi';
import {
  adminJobSchema,
  adminStatsSchema,
  auditPageSchema,
  importResponseSchema,
  jobListQuerySchema,
  jobListSchema,
  queuedJobSchema,
  reindexRequestSchema,
  reindexResponseSchema,
  syncRequestSchema,
} from './admin.js';
import { quarantinePageSchema } from './quarantine.js';
import type { ErrorCode } from './errors.js';
import { pageQuerySchema, text } from './fields.js';
import {
  BODY_ERRORS,
  jsonBody,
  nothing,
  operation,
  PROTECTED_ERRORS,
  rawBody,
} from './operation.js';
import { verifyRequestSchema } from './verify.js';

/** The most bytes of an upload (2 GiB). */
export const MAX_UPLOAD_BYTES = 2 ** 31;

const jobParams = Joi.object<{ jobId: string }, true>({ jobId: text('Id of the job') });
const FIND: readonly ErrorCode[] = [...PROTECTED_ERRORS, 'NOT_FOUND'];
const CHANGE: readonly ErrorCode[] = [...PROTECTED_ERRORS, ...BODY_ERRORS];

const GET = { method: 'get', params: nothing, query: nothing } as const;
const WRITE = {
  method: 'post',
  access: 'write',
  params: nothing,
  query: nothing,
  status: 202,
} as const;
const DELETE = {
  method: 'delete',
  access: 'admin',
  query: nothing,
  status: 202,
  response: queuedJobSchema,
  errors: FIND,
} as const;

/** What operators do. */
export const adminOperations = {
  getAdminStats: operation({
    ...GET,
    access: 'read',
    operationId: 'getAdminStats',
    paths: ['/admin/stats'],
    summary: 'What the archive holds, how fresh it is, and how its stores are',
    response: adminStatsSchema,
    errors: PROTECTED_ERRORS,
  }),
  listJobs: operation({
    ...GET,
    access: 'write',
    operationId: 'listJobs',
    paths: ['/admin/jobs'],
    summary:
      'Jobs, newest first. Of a state with more jobs than `limit`, those that entered it last',
    query: jobListQuerySchema,
    response: jobListSchema,
    errors: PROTECTED_ERRORS,
  }),
  getJob: operation({
    ...GET,
    access: 'write',
    operationId: 'getJob',
    paths: ['/admin/jobs/:jobId'],
    summary: 'How a job stands',
    params: jobParams,
    response: adminJobSchema,
    errors: FIND,
  }),
  retryJob: operation({
    ...WRITE,
    operationId: 'retryJob',
    paths: ['/admin/jobs/:jobId/retry'],
    summary: 'Try a failed job again, or the waiting files of an import',
    params: jobParams,
    response: queuedJobSchema,
    errors: [...FIND, 'CONFLICT'],
  }),
  listAudit: operation({
    ...GET,
    access: 'admin',
    operationId: 'listAudit',
    paths: ['/admin/audit'],
    summary: 'Who did what, newest first',
    query: pageQuerySchema,
    response: auditPageSchema,
    errors: PROTECTED_ERRORS,
  }),
  listQuarantine: operation({
    ...GET,
    access: 'write',
    operationId: 'listQuarantine',
    paths: ['/admin/quarantine'],
    summary: 'What is quarantined, since it could not be stored or built',
    query: pageQuerySchema,
    response: quarantinePageSchema,
    errors: PROTECTED_ERRORS,
  }),
  retryQuarantined: operation({
    ...WRITE,
    operationId: 'retryQuarantined',
    paths: ['/admin/quarantine/:quarantineId/retry'],
    summary: 'Try again what is quarantined',
    params: Joi.object<{ quarantineId: string }, true>({ quarantineId: text('Id of the entry') }),
    response: queuedJobSchema,
    errors: FIND,
  }),
  importExport: operation({
    ...WRITE,
    operationId: 'importExport',
    paths: ['/admin/import'],
    summary: 'Import a DiscordChatExporter JSON file (gzip allowed), or several as a form',
    body: rawBody(
      ['application/json', 'application/gzip', 'multipart/form-data'],
      MAX_UPLOAD_BYTES,
    ),
    response: importResponseSchema,
    errors: CHANGE,
  }),
  sync: operation({
    ...WRITE,
    operationId: 'sync',
    paths: ['/admin/sync'],
    summary: 'Fetch what is new from the platform',
    body: jsonBody(syncRequestSchema, { optional: true }),
    response: queuedJobSchema,
    errors: [...CHANGE, 'NOT_CONFIGURED'],
  }),
  reindex: operation({
    ...WRITE,
    operationId: 'reindex',
    paths: ['/admin/reindex'],
    summary: 'Build views, the search index or both again from the records',
    body: jsonBody(reindexRequestSchema),
    response: reindexResponseSchema,
    errors: [...CHANGE, 'CONFLICT'],
  }),
  verify: operation({
    ...WRITE,
    operationId: 'verify',
    paths: ['/admin/verify'],
    summary:
      'Compare everything that readers get with the records, and mend what differs if told to',
    body: jsonBody(verifyRequestSchema, { optional: true }),
    response: queuedJobSchema,
    errors: CHANGE,
  }),
  refreshStats: operation({
    ...WRITE,
    operationId: 'refreshStats',
    paths: ['/admin/servers/:serverId/stats/refresh'],
    summary: 'Count a server again and drop its cached statistics',
    params: Joi.object<{ serverId: string }, true>({ serverId: text('Server id') }),
    response: queuedJobSchema,
    errors: FIND,
  }),
  deleteThread: operation({
    ...DELETE,
    operationId: 'deleteThread',
    paths: ['/admin/threads/:threadId'],
    summary: 'Remove a thread for good',
    params: Joi.object<{ threadId: string }, true>({ threadId: text('Thread id') }),
  }),
  deleteChannel: operation({
    ...DELETE,
    operationId: 'deleteChannel',
    paths: ['/admin/channels/:channelId'],
    summary: 'Remove a channel and its threads for good',
    params: Joi.object<{ channelId: string }, true>({ channelId: text('Channel id') }),
  }),
  deleteServer: operation({
    ...DELETE,
    operationId: 'deleteServer',
    paths: ['/admin/servers/:serverId'],
    summary: 'Remove a server and everything of it for good',
    params: Joi.object<{ serverId: string }, true>({ serverId: text('Server id') }),
  }),
  deleteMessage: operation({
    ...DELETE,
    operationId: 'deleteMessage',
    paths: ['/admin/messages/:messageId'],
    summary: 'Remove a message for good',
    params: Joi.object<{ messageId: string }, true>({ messageId: text('Message id') }),
  }),
  eraseUser: operation({
    ...DELETE,
    operationId: 'eraseUser',
    paths: ['/admin/users/:userId'],
    summary: 'Erase a person: what they wrote, their names, and every mention of them',
    // Somebody who is not known can be erased, too.
    errors: PROTECTED_ERRORS,
    params: Joi.object<{ userId: string }, true>({
      userId: Joi.string()
        .pattern(/^\d{17,20}$/)
        .required()
        .description('User id, 17 to 20 digits'),
    }),
  }),
} as const;
