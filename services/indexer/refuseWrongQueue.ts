import type { Logger } from '../../shared/platform/logger.js';
import { QueueRedisError } from './checkQueueRedis.js';

/** Runs the check of the queue's Redis; a wrong setting there ends the process with one clear line. */
export async function refuseWrongQueue(check: () => Promise<void>, logger: Logger): Promise<void> {
  await check().catch((error: unknown) => {
    if (!(error instanceof QueueRedisError)) throw error;
    logger.fatal(error.message);
    process.exit(1);
  });
}
