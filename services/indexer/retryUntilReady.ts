import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../shared/platform/logger.js';
import { seldom } from '../../shared/platform/seldom.js';
import { WrongStoreError } from './wrongStoreError.js';

const LONGEST_WAIT_MS = 2_000;
/** How long (ms) between two log lines that say the same. */
const TOLD_EVERY_MS = 60_000;

/**
 * Runs a step of the start. It runs the step again after each failure, until the step succeeds, because a store may
 * still be away. A WrongStoreError would come again each time. So it is logged in one line, and ends the process.
 */
export async function retryUntilReady(
  name: string,
  step: () => Promise<unknown>,
  logger: Logger,
): Promise<void> {
  const began = performance.now();
  const tell = seldom(TOLD_EVERY_MS, (error: unknown) => {
    logger.warn({ err: error }, `Waiting for ${name}`);
  });
  for (let attempt = 0; ; attempt += 1) {
    try {
      await step();
      if (attempt > 0) {
        logger.info({ waitedMs: Math.round(performance.now() - began) }, `${name} is ready`);
      }
      return;
    } catch (error) {
      if (error instanceof WrongStoreError) {
        logger.fatal(error.message);
        process.exit(1);
      }
      tell(error);
      await wait(Math.min(200 * 2 ** attempt, LONGEST_WAIT_MS));
    }
  }
}
