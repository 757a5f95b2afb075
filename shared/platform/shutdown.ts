import type { Logger } from './logger.js';
import { isTimeLimit } from './storeErrors.js';
import { withTimeout } from './withTimeout.js';

/** A named step of an orderly stop. */
export interface ShutdownStep {
  name: string;
  run: () => Promise<unknown>;
  /** Milliseconds that it may take (default 500). After that the next step begins, and this one goes on beside it. */
  limitMs?: number;
}

/** Closing the connection to a frozen store never ends by itself. */
const STEP_LIMIT_MS = 500;

/**
 * On SIGTERM or SIGINT runs the steps in order, also those that were added after this call, and exits with 0. Exits
 * with 1 when a step fails or the whole takes longer than `limitMs`.
 */
export function stopOnSignal(
  steps: readonly ShutdownStep[],
  logger: Logger,
  limitMs = 10_000,
): void {
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'Stopping');
    setTimeout(() => {
      logger.error({ limitMs }, 'Stopping took too long');
      process.exit(1);
    }, limitMs).unref();
    void runSteps(steps, logger).then((clean) => process.exit(clean ? 0 : 1));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Runs each step even when an earlier one failed or was cut short; true when none failed. */
export async function runSteps(steps: readonly ShutdownStep[], logger: Logger): Promise<boolean> {
  let clean = true;
  for (const step of steps) {
    try {
      await withTimeout(step.limitMs ?? STEP_LIMIT_MS, step.run);
    } catch (error) {
      if (isTimeLimit(error)) {
        logger.warn({ step: step.name }, 'A step of the shutdown was cut short');
        continue;
      }
      clean = false;
      logger.error({ err: error, step: step.name }, 'A step of the shutdown failed');
    }
  }
  return clean;
}
