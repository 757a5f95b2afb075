import { createRequire } from 'node:module';
import type * as Driver from 'bullmq';

const driver = createRequire(import.meta.url)('bullmq') as typeof Driver;

/** The oldest Redis that the queue works with. The indexer does not start with an older one. */
export const OLDEST_REDIS = '6.2.0';

// A producer does not ask Redis for its version. For such a connection, the library assumes the oldest version that it
// takes. That is 5.0.0 by default, which lacks LPOS, so the state of one job was found by reading all that wait.
driver.RedisConnection.minimumVersion = OLDEST_REDIS;

/**
 * The queue's library by `require`. An `import` first reads its 480 modules for what they export: about 0.2 s of
 * processor time at every start.
 */
export const { DelayedError, ErrorCode, Job, Queue, UnrecoverableError, Worker } = driver;
export type Queue = Driver.Queue;
