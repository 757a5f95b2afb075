import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../shared/platform/logger.js';

const LONGEST_WAIT_MS = 5_000;

/** Runs a step of the start until it succeeds: a store that is away at the start is waited for, not died of. */
export async function retryUntilReady(
  name: string,
  step: () => Promise<void>,
  logger: Logger,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await step();
      return;
    } catch (error) {
      logger.warn({ error, attempt }, `${name} is not ready`);
      await wait(Math.min(200 * 2 ** attempt, LONGEST_WAIT_MS));
    }
  }
}
