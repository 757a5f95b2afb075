import { createRequire } from 'node:module';
import type * as Driver from 'bullmq';

/**
 * The queue's library by `require`. An `import` first reads its 480 modules for what they export: about 0.2 s of
 * processor time at every start.
 */
export const { DelayedError, ErrorCode, Queue, UnrecoverableError, Worker } = createRequire(
  import.meta.url,
)('bullmq') as typeof Driver;
export type Queue = Driver.Queue;
