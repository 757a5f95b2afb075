import type { Logger } from './logger.js';
import { isTimeLimit } from './storeErrors.js';
import { withTimeout } from './withTimeout.js';

/** A named step of an orderly stop. */
export interface ShutdownStep {
  name: string;
  run: () => unknown;
  /** How long it may take (ms, default 500). After that the next step begins, while this one goes on. */
  limitMs?: number;
}

/** The default limit. It is needed because closing the connection to a frozen store never ends by itself. */
const STEP_LIMIT_MS = 500;

/**
 * On SIGTERM or SIGINT, runs the steps in order, and then exits. Steps that were added to the array after this call are
 * run, too. The exit code is 0, or 1 where a step fails or all steps together take longer than `limitMs`.
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

/** Runs all steps, even after one that failed or was cut short. Returns whether none failed. */
async function runSteps(steps: readonly ShutdownStep[], logger: Logger): Promise<boolean> {
  let clean = true;
  for (const step of steps) {
    try {
      await withTimeout(step.limitMs ?? STEP_LIMIT_MS, async () => await step.run());
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
