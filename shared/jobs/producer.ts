import { randomBytes } from 'node:crypto';
import type { FinishedStatus, JobsOptions, RetryOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { Job, Queue } from '../drivers/bullmq.js';
import { createRedis } from '../platform/clients.js';
import { growingDelay } from '../platform/growingDelay.js';
import { whyAway } from '../platform/whyAway.js';
import { QUEUE_NAME, type JobName, type JobPayloads } from './jobs.js';

/** Files jobs in the queue. While Redis is away, every call fails at once and says why. */
export interface Producer {
  /**
   * Files a job and returns its id. Where a job for the same thing waits and has not begun, it returns the id of that
   * job, and files none.
   */
  add<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<string>;
  /** Files a job again that may be lost. It files none while a job for the same thing waits or runs. */
  refile<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<string>;
  /**
   * Looks for delayed jobs that are due later than the longest delay allows, and lets them be tried now. A process
   * whose clock was ahead has delayed them. Forgets the ids of those whose jobs are lost.
   */
  endFarDelays(): Promise<void>;
  /** How many jobs are in each state. */
  counts(): Promise<{ waiting: number; active: number; delayed: number; failed: number }>;
  /** How many workers are connected to the queue. */
  workers(): Promise<number>;
  /**
   * Stores something in Redis for a moment. Rejects where Redis is away, and where it answers questions but stores
   * nothing, because its memory is full, say. It is called before work is recorded for which a job is filed then.
   */
  tryStoring(): Promise<void>;
  close(): Promise<void>;
}

/** A producer that also gives access to the queue, to look at its jobs. */
export interface QueueProducer extends Producer {
  queue: Queue;
  /** The queue's connection. */
  redis: Redis;
}

/**
 * A job that gets all its tries again when somebody retries it. By default, BullMQ goes on counting its tries. So a job
 * that has used them all up would get a single further one, and would fail again if a store was away at that moment.
 */
class RenewedJob extends Job {
  override retry(state?: FinishedStatus, options?: RetryOptions): Promise<void> {
    return super.retry(state, { ...options, resetAttemptsMade: true });
  }
}

/** A queue that gives out its jobs as RenewedJob: to the API, and to its dashboard. */
class ArchiveQueue extends Queue {
  protected override get Job(): typeof Job {
    return RenewedJob as typeof Job;
  }
}

/** The name of the retry strategy of every job. Workers implement it by `retryDelay`. */
const RETRY_STRATEGY = 'capped';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const DAY_S = 86_400;
/** How far ahead (ms) a delay may end. It is longer than any delay, because clocks differ a little. */
const FUTURE_MS = 2 * 60_000;
/** BullMQ sorts delayed jobs by the time (ms) at which their delay ends, times this number. */
const SCORE_OF_MS = 0x1000;
/** How many delays are ended at once. What is left has its turn later. */
const ENDED_AT_ONCE = 1_000;
/**
 * Takes an id out of the delayed jobs where no job has it. This is one step, because another process may file a job
 * with this id meanwhile, and delay it.
 */
const FORGET_LOST = `
if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('ZREM', KEYS[1], ARGV[1]) end`;

const OPTIONS: JobsOptions = {
  attempts: 500,
  backoff: { type: RETRY_STRATEGY },
  // A job keeps the stacks of its last tries. With those of all tries, it would grow for days.
  stackTraceLimit: 3,
  removeOnComplete: { count: 1_000, age: DAY_S },
  removeOnFail: { count: 5_000, age: 14 * DAY_S },
};
/**
 * Jobs that are filed once for each request, because their ids hold the id of the request, with their own options. Any
 * other job may be asked for again while it runs: `joinOrFollow` files these.
 *
 * Jobs of files are removed when they end. There are very many of them, so they would soon push out all other jobs, and
 * they would keep a file from being filed again. Their imports record how they ended. A rebuild is tried until its
 * record says that it has ended, so its number of tries is not limited.
 */
const OF_ONE_REQUEST: Partial<Record<JobName, JobsOptions>> = {
  'import-file': { removeOnComplete: true, removeOnFail: true },
  'reindex-search': { attempts: 1_000_000 },
  sync: {},
};

/** The id of what each job is about. */
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

/** Milliseconds until the next try of a job. */
export function retryDelay(attemptsMade: number): number {
  return growingDelay(attemptsMade, FIRST_DELAY_MS, LONGEST_DELAY_MS);
}

/**
 * Files a job that may be asked for again. Where the last job about the same thing is in one of the states in `joined`,
 * it will do, and no other is filed. Otherwise a job is filed that follows it, which all who ask meanwhile share.
 * Returns the id of the job that will do what is asked for.
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

/** States of a job that has not begun. A job that runs may already have passed what is asked for now. */
const WAITING: ReadonlySet<string> = new Set(['waiting', 'delayed', 'prioritized']);
/** States of a job that is not lost. */
const UNFINISHED: ReadonlySet<string> = new Set([...WAITING, 'active']);

/** The id of the next job about the same thing: after `x` comes `x-2`, then `x-3`, … */
function followerOf(jobId: string): string {
  const [, first = jobId, count = '1'] = /^(.*)-(\d+)$/.exec(jobId) ?? [];
  return `${first}-${Number(count) + 1}`;
}

/**
 * The producer of an archive's queue; `namespace` is the database's name. Every call ends within `timeoutMs` (default 5
 * s).
 */
export function createProducer(options: {
  redisUrl: string;
  namespace: string;
  timeoutMs?: number;
}): QueueProducer {
  const redis = createRedis(options.redisUrl, { timeoutMs: options.timeoutMs ?? 5_000 });
  // Without this listener a lost connection would end the process.
  const why = whyAway(redis);
  // If BullMQ connects by itself and fails the first time, it refuses every later call.
  const opened = redis.connect().catch(() => undefined);
  const queue = new ArchiveQueue(QUEUE_NAME, {
    connection: redis,
    prefix: options.namespace,
    defaultJobOptions: OPTIONS,
    skipWaitingForReady: true,
    skipVersionCheck: true,
  });
  // Each call says by itself why it failed.
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
    const own = OF_ONE_REQUEST[name];
    if (!own) return joinOrFollow(queue, { name, payload, about: jobId }, joined);
    await queue.add(name, payload, { jobId, ...own });
    return jobId;
  };
  return {
    add: (name, payload) => ask(() => file(name, payload, WAITING)),
    refile: (name, payload) => ask(() => file(name, payload, UNFINISHED)),
    endFarDelays: () =>
      ask(async () => {
        const least = (Date.now() + FUTURE_MS) * SCORE_OF_MS;
        const key = queue.toKey('delayed');
        const ids = await redis.zrangebyscore(key, least, '+inf', 'LIMIT', 0, ENDED_AT_ONCE);
        const endDelay = async (id: string): Promise<void> => {
          const job = await queue.getJob(id);
          if (job) await job.promote();
          // The job's record was lost. If its id stayed, it would be found each time, and many would keep others back.
          else await redis.eval(FORGET_LOST, 2, key, queue.toKey(id), id);
        };
        // Another process may have ended a delay meanwhile.
        for (const id of ids) await endDelay(id).catch(() => undefined);
      }),
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
    async tryStoring() {
      await ask(() => redis.set(`${options.namespace}:trial`, '', 'PX', 1));
    },
    queue,
    redis,
    async close() {
      await queue.close().catch(() => undefined);
      redis.disconnect();
    },
  };
}
