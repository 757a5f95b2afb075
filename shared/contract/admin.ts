/** Requests and answers of the operations for operators. */
import Joi from 'joi';
import {
  count,
  limitParameter,
  listOf,
  nullableText,
  nullableTime,
  oneOf,
  pageEnd,
  text,
  time,
} from './fields.js';
import { verifyReportSchema, type VerifyReport } from './verify.js';

/** 202: work that goes on after the answer. */
export interface QueuedJob {
  jobId: string;
  status: 'queued';
  statusUrl: string;
}

const queuedJobFields = {
  jobId: text('Id of the job'),
  status: oneOf(['queued'] as const, 'Always queued: statusUrl tells how it goes on'),
  statusUrl: text('Path of the job’s state'),
};

/** Checks a QueuedJob. */
export const queuedJobSchema = Joi.object<QueuedJob, true>(queuedJobFields);

export const JOB_STATES = ['queued', 'active', 'delayed', 'done', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A file of an import, and what became of it. */
export interface JobFile {
  /** Absent once the file is taken. */
  name?: string | undefined;
  state: 'queued' | 'imported' | 'unchanged' | 'rejected';
  reason?: string | undefined;
  threadId?: string | undefined;
  messages?: number | undefined;
}

/** A job of the write side. */
export interface AdminJob {
  jobId: string;
  name: string;
  state: JobState;
  /** 0 to 1. */
  progress: number;
  counts: Record<string, number>;
  error: string | null;
  attempts: number;
  queuedAt: string;
  finishedAt: string | null;
  /** The result of a verification that has ended. */
  report?: VerifyReport;
  /** The first files of an import. */
  files?: JobFile[];
}

/** How many files of an import are listed at most. */
export const LISTED_FILES = 1_000;

const jobFileSchema = Joi.object<JobFile, true>({
  name: text('Name as it was handed in; absent once the file is taken').optional(),
  state: oneOf(['queued', 'imported', 'unchanged', 'rejected'] as const, 'What became of it'),
  reason: text('Why it was rejected').optional(),
  threadId: text('Thread that it holds').optional(),
  messages: count('Messages in it').optional(),
});

/** Checks an AdminJob. */
export const adminJobSchema = Joi.object<AdminJob, true>({
  jobId: text('Id of the job'),
  name: text('What it does, such as delete-thread'),
  state: oneOf(JOB_STATES, 'How it stands; delayed waits for its next try'),
  progress: Joi.number().min(0).max(1).required().description('How far it has come, 0 to 1'),
  counts: Joi.object()
    .pattern(Joi.string(), Joi.number())
    .required()
    .description('What it has done so far, by name'),
  error: nullableText('Why its last try failed'),
  attempts: count('Tries so far'),
  queuedAt: time('When it was asked for'),
  finishedAt: nullableTime('When it ended'),
  report: verifyReportSchema
    .optional()
    .description('The result of a verification, once it is done'),
  files: listOf(jobFileSchema, `The files of an import, the first ${LISTED_FILES}`).optional(),
});

/** GET /admin/jobs. */
export interface JobListQuery {
  state?: JobState;
  limit: number;
}

/** Checks a JobListQuery. */
export const jobListQuerySchema = Joi.object<JobListQuery>({
  state: Joi.string()
    .valid(...JOB_STATES)
    .description('Only jobs in this state'),
  limit: limitParameter('Jobs that are listed'),
});

/** Checks the answer of GET /admin/jobs. */
export const jobListSchema = Joi.object<{ jobs: AdminJob[] }, true>({
  jobs: listOf(adminJobSchema, 'Newest first'),
});

/** POST /admin/sync: at most one place; none for everything. */
export interface SyncRequest {
  serverId?: string;
  channelId?: string;
  threadId?: string;
}

const placeId = (name: string) =>
  Joi.string()
    .pattern(/^\d{17,20}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be an id of 17 to 20 digits' })
    .description(`Only this ${name}`);

/** Checks a SyncRequest. */
export const syncRequestSchema = Joi.object<SyncRequest>({
  serverId: placeId('server'),
  channelId: placeId('channel'),
  threadId: placeId('thread'),
})
  .oxor('serverId', 'channelId', 'threadId')
  .messages({ 'object.oxor': 'body must name only one of serverId, channelId and threadId' });

/** POST /admin/reindex. */
export interface ReindexRequest {
  target: 'views' | 'search' | 'all';
}

/** Checks a ReindexRequest. */
export const reindexRequestSchema = Joi.object<ReindexRequest, true>({
  target: oneOf(['views', 'search', 'all'] as const, 'What to build again from the records'),
});

/** Checks the answer of POST /admin/reindex. */
export const reindexResponseSchema = Joi.object({
  ...queuedJobFields,
  jobs: listOf(queuedJobSchema, 'Every job that was filed; the fields beside it are the first’s'),
});

/** A file of POST /admin/import. */
export interface ImportedFile {
  name: string;
  state: 'queued' | 'skipped' | 'refused' | 'rejected';
  reason?: string;
  at?: string;
}

/** Checks the answer of POST /admin/import. */
export const importResponseSchema = Joi.object({
  ...queuedJobFields,
  files: listOf(
    Joi.object<ImportedFile, true>({
      name: text('Name as uploaded'),
      state: oneOf(['queued', 'skipped', 'refused', 'rejected'] as const, 'What became of it'),
      reason: text('Why it was not taken').optional(),
      at: text('Place of the damage').optional(),
    }),
    'Each file of the upload',
  ),
});

/** GET /admin/stats. */
export interface AdminStats {
  version: string;
  archive: Record<'servers' | 'channels' | 'threads' | 'messages' | 'users', number | null>;
  queue: Record<'waiting' | 'active' | 'delayed' | 'failed', number> | null;
  indexers: number | null;
  views: {
    pending: number | null;
    oldestPendingSeconds: number | null;
    dirty: number | null;
    quarantined: number | null;
  };
  search: { documents: number | null; problem: string | null };
  cache: { entries: number; bytes: number; hits: number; misses: number; hitRate: number };
  stores: Record<'mongodb' | 'elasticsearch' | 'redis', 'up' | 'down'>;
  sync: SyncStats | null;
  mirror: MirrorStats | null;
}

/** How many the platform told of, and how many of these are fetched. */
export interface Fetched {
  found: number;
  fetched: number;
}

/** How the live sync stands. */
export interface SyncStats {
  /** For a long or old thread, the platform may count fewer messages than there are. */
  threads: Fetched;
  messages: Fetched;
  /** How many messages were fetched a second, lately; 0 while nothing is left to be fetched. */
  perSecond: number;
  /** Null where that cannot be told. */
  secondsLeft: number | null;
  problem: string | null;
  events: EventStats | null;
  /** A person counts once on each server. */
  optedOut: number;
  servers: SyncedPlace[];
  channels: (SyncedPlace & { channelId: string; threads: Fetched & { failed: number } })[];
}

/** The state of the connection by which the platform sends events. */
export interface EventStats {
  /** Null while there is no connection. */
  connectedAt: string | null;
  lastEventAt: string | null;
  /** How many received events are not recorded yet. */
  waiting: number;
  /** Why no events come, and what to do. */
  problem: string | null;
}

/** A server or forum that the bot knows of. */
export interface SyncedPlace {
  serverId: string;
  name: string;
  checkedAt: string;
  problem: string | null;
}

/** How the mirror stands. */
export interface MirrorStats {
  /** Files copied, and their bytes. */
  files: number;
  bytes: number;
  /** Files that are not copied, because they are gone, too large, or could not be fetched yet. */
  failed: number;
  /** Threads, people and servers whose files are still to be checked. */
  waiting: number;
  /** Why nothing is copied or removed now, or was lately; null while nothing is wrong. */
  problem: string | null;
}

const nullable = (description: string) =>
  Joi.number().allow(null).required().description(`${description}; null while it cannot be told`);
const number = (description: string) => Joi.number().required().description(description);
const group = (descriptions: Readonly<Record<string, string>>, value = nullable) =>
  Joi.object(
    Object.fromEntries(Object.entries(descriptions).map(([name, text]) => [name, value(text)])),
  ).required();

const fetched = (what: string) =>
  Joi.object<Fetched, true>({
    found: count(`${what} that the platform told of`),
    fetched: count(`${what} that are fetched`),
  }).required();
const syncedPlace = {
  serverId: text('Id of the server'),
  name: text('Its name'),
  checkedAt: time('When it was last looked at'),
  problem: nullableText('Why nothing of it is archived; null while it is'),
};
const syncStats = Joi.object<SyncStats, true>({
  threads: fetched('Threads'),
  messages: fetched('Messages'),
  perSecond: number('Messages fetched in a second, lately'),
  secondsLeft: nullable('Seconds until all that is known of is fetched'),
  problem: nullableText('Why nothing, or not everything, can be synced now, and what to do'),
  events: Joi.object<EventStats, true>({
    connectedAt: nullableTime('Since when; null while there is none'),
    lastEventAt: nullableTime('When the last event was received; null before'),
    waiting: count('Events received that are not recorded yet'),
    problem: nullableText('Why no events come, and what to do'),
  })
    .allow(null)
    .required()
    .description('The connection by which the platform tells what happens; null before the first'),
  optedOut: count('Members who are left out because of a role, each counted once a server'),
  servers: listOf(Joi.object<SyncedPlace, true>(syncedPlace), 'Servers that the bot is in'),
  channels: listOf(
    Joi.object<SyncStats['channels'][number], true>({
      channelId: text('Id of the forum'),
      ...syncedPlace,
      threads: Joi.object<Fetched & { failed: number }, true>({
        found: count('Threads that the platform told of'),
        fetched: count('Those of them that are fetched'),
        failed: count('Those of them that cannot be fetched, or not all of their messages'),
      })
        .required()
        .description('Its threads'),
    }),
    'Forums that the bot knows of',
  ),
});

/** Checks an AdminStats. */
export const adminStatsSchema = Joi.object<AdminStats, true>({
  version: text('Version of the API'),
  archive: group({
    servers: 'Servers',
    channels: 'Forums, and text channels with archived threads',
    threads: 'Threads',
    messages: 'Messages',
    users: 'Everyone who wrote, counted once for each server',
  }).description('What is listed'),
  queue: group(
    {
      waiting: 'Jobs that wait to begin',
      active: 'Jobs under way',
      delayed: 'Jobs that wait for their next try',
      failed: 'Jobs that failed for good',
    },
    number,
  )
    .allow(null)
    .description('Jobs by state; null while the queue is away'),
  indexers: nullable('Indexers connected to the queue'),
  views: group({
    pending: 'Changed threads that are not built yet',
    oldestPendingSeconds: 'How long the oldest of them has waited (seconds; null where none waits)',
    dirty: 'People and servers that are still to be counted',
    quarantined: 'What is quarantined, since it fails however often it is tried',
  }).description('How fresh the views are'),
  search: Joi.object({
    documents: nullable('Threads and messages in the search index'),
    problem: nullableText(
      'What is wrong with the index (made for another version, or lost), and what to do',
    ),
  })
    .required()
    .description('The search index'),
  cache: group(
    {
      entries: 'Responses that are kept',
      bytes: 'Their size (bytes)',
      hits: 'Reads that found their response, since the process began',
      misses: 'Reads that did not',
      hitRate: 'hits / (hits + misses), 0 to 1',
    },
    number,
  ).description('Finished responses in the memory of the process that answers'),
  stores: Joi.object().pattern(Joi.string(), Joi.string()).required().description('up or down'),
  sync: syncStats
    .allow(null)
    .required()
    .description('The live sync; null where no indexer has a bot token, or it cannot be told'),
  mirror: Joi.object({
    files: count('Files copied'),
    bytes: count('Their size (bytes)'),
    failed: count('Files that could not be copied, or not yet'),
    waiting: count('Threads, people and servers whose files are still to be looked at'),
    problem: Joi.string()
      .allow(null)
      .required()
      .description(
        'Why nothing is copied or removed now, or was lately; null while nothing is wrong',
      ),
  })
    .allow(null)
    .required()
    .description('Copies of attachments and pictures; null without a mirror'),
});

/** Checks the answer of GET /admin/audit. */
export const auditPageSchema = Joi.object({
  entries: listOf(
    Joi.object({
      id: text('Id of the entry'),
      at: time('When'),
      caller: Joi.object({
        kind: text('Kind of credential; cli for the command line'),
        id: text('Key or user; of cli, the user of its system; 0 for an erased user'),
      })
        .required()
        .description('Who asked'),
      operation: text('operationId'),
      params: Joi.object().unknown().required().description('What was asked for'),
      outcome: text('done, failed or the code of the error; of cli, started until it has ended'),
      status: count('HTTP status; cli has none').optional(),
      jobId: text('The job it filed').optional(),
    }),
    'Newest first',
  ),
  ...pageEnd(),
});
