import { randomBytes } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { Queue } from '../drivers/bullmq.js';
import { createRedis } from '../platform/clients.js';
import { growingDelay } from '../platform/growingDelay.js';
import { whyAway } from '../platform/whyAway.js';
import { QUEUE_NAME, type JobName, type JobPayloads } from './jobs.js';

/** Files jobs in the queue. Every call fails at once while Redis is away, and says why it is. */
export interface Producer {
  /**
   * Files a job and gives its id. Where a job for the same thing has been filed and has not begun, no other is filed, and
   * the id of that one is given.
   */
  add<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<string>;
  /** Files a job anew that may be lost. While one for the same thing waits or runs, nothing is filed. */
  refile<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<string>;
  /** Jobs by state. */
  counts(): Promise<{ waiting: number; active: number; delayed: number; failed: number }>;
  /** How many workers are connected to the queue. */
  workers(): Promise<number>;
  close(): Promise<void>;
}

/** A producer with the queue itself, for looking at its jobs. */
export interface QueueProducer extends Producer {
  queue: Queue;
  /** The queue's connection. */
  redis: Redis;
}

/** The name of the retry strategy of every job: workers give `retryDelay` for it. */
export const RETRY_STRATEGY = 'capped';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const DAY_S = 86_400;

const OPTIONS: JobsOptions = {
  attempts: 500,
  backoff: { type: RETRY_STRATEGY },
  removeOnComplete: { count: 1_000, age: DAY_S },
  removeOnFail: { count: 5_000, age: 14 * DAY_S },
};
/**
 * Of files there are very many, and their state is in their import: kept, their jobs would soon push out all others,
 * and stand in the way of filing a file again. A rebuild is over when its record says so, not after so many tries.
 */
const OWN_OPTIONS: Partial<Record<JobName, JobsOptions>> = {
  'import-file': { removeOnComplete: true, removeOnFail: true },
  'reindex-search': { attempts: 1_000_000 },
};

/** Names what each job is about. */
const JOB_IDS: { [Name in JobName]: (payload: JobPayloads[Name]) => string } = {
  'delete-thread': ({ threadId }) => `delete-thread-${threadId}`,
  'delete-channel': ({ channelId }) => `delete-channel-${channelId}`,
  'delete-server': ({ serverId }) => `delete-server-${serverId}`,
  'delete-message': ({ messageId }) => `delete-message-${messageId}`,
  'erase-user': ({ erasureId }) => `erase-user-${erasureId}`,
  'reindex-views': () => 'reindex-views',
  'refresh-stats': ({ serverId }) => `refresh-stats-${serverId}`,
  'retry-quarantined': ({ quarantineId }) => `retry-${quarantineId}`,
  'import-file': ({ uploadId }) => `import-${uploadId}`,
  'reindex-search': ({ rebuildId }) => `reindex-search-${rebuildId}`,
  sync: ({ requestId }) => `sync-${requestId}`,
  verify: ({ repair }) => `verify-${repair ? 'repair' : 'look'}`,
};

/**
 * Jobs that are filed once for each request, as their ids hold the id of the request. All other jobs may be asked for
 * again while one runs: `joinOrFollow` files these.
 */
const OF_ONE_REQUEST: ReadonlySet<JobName> = new Set<JobName>([
  'import-file',
  'reindex-search',
  'sync',
]);

/** Milliseconds until the next try of a job. */
export function retryDelay(attemptsMade: number): number {
  return growingDelay(attemptsMade, FIRST_DELAY_MS, LONGEST_DELAY_MS);
}

/**
 * Files a job that may be asked for again. Where the last job about the same is in one of the states of `joined`, that
 * job will do, and none is filed. Otherwise a job is filed that follows it. Everybody who asks meanwhile shares that
 * job. Gives the id of the job that will do what is asked for.
 */
async function joinOrFollow(
  queue: Queue,
  { name, payload, about }: { name: JobName; payload: object; about: string },
  joined: ReadonlySet<string>,
): Promise<string> {
  const own = `${about}-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
  const added = await queue.add(name, payload, { jobId: own, deduplication: { id: about } });
  let id = added.id!;
  while (id !== own && !joined.has(await queue.getJobState(id))) {
    id = followerOf(id);
    if ((await queue.getJobState(id)) !== 'unknown') continue;
    await queue.add(name, payload, { jobId: id });
    return id;
  }
  return id;
}

/** States of a job that has not begun. One that runs may have gone past what somebody asks for now. */
const WAITING: ReadonlySet<string> = new Set(['waiting', 'delayed', 'prioritized']);
/** States of a job that is not lost. */
const UNFINISHED: ReadonlySet<string> = new Set([...WAITING, 'active']);

/** The id of the job that follows one: `x`, `x-2`, `x-3`, … */
function followerOf(jobId: string): string {
  const [, first = jobId, count = '1'] = /^(.*)-(\d+)$/.exec(jobId) ?? [];
  return `${first}-${Number(count) + 1}`;
}

/**
 * The producer of an archive's queue; `namespace` is the database's name. A call ends within the limit (default 5 s).
 */
export function createProducer(options: {
  redisUrl: string;
  namespace: string;
  timeoutMs?: number;
}): QueueProducer {
  const redis = createRedis(options.redisUrl, { timeoutMs: options.timeoutMs ?? 5_000 });
  // Without this listener a lost connection would end the process.
  const why = whyAway(redis);
  // Left to itself, BullMQ would refuse every call for good after a first connection that failed.
  const opened = redis.connect().catch(() => undefined);
  const queue = new Queue(QUEUE_NAME, {
    connection: redis,
    prefix: options.namespace,
    defaultJobOptions: OPTIONS,
    skipWaitingForReady: true,
    skipVersionCheck: true,
  });
  queue.on('error', () => undefined);
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    await opened;
    try {
      return await call();
    } catch (error) {
      throw why() ?? error;
    }
  };
  const file = async <Name extends JobName>(
    name: Name,
    payload: JobPayloads[Name],
    joined: ReadonlySet<string>,
  ): Promise<string> => {
    const jobId = JOB_IDS[name](payload);
    if (!OF_ONE_REQUEST.has(name))
      return joinOrFollow(queue, { name, payload, about: jobId }, joined);
    await queue.add(name, payload, { jobId, ...OWN_OPTIONS[name] });
    return jobId;
  };
  return {
    add: (name, payload) => ask(() => file(name, payload, WAITING)),
    refile: (name, payload) => ask(() => file(name, payload, UNFINISHED)),
    async counts() {
      const {
        wait = 0,
        prioritized = 0,
        active = 0,
        delayed = 0,
        failed = 0,
      } = await ask(() => queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed'));
      return { waiting: wait + prioritized, active, delayed, failed };
    },
    workers: () => ask(() => queue.getWorkersCount()),
    queue,
    redis,
    async close() {
      await queue.close().catch(() => undefined);
      redis.disconnect();
    },
  };
}
