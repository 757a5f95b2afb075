import type { Logger } from './logger.js';
import { isTimeLimit } from './storeErrors.js';
import { withTimeout } from './withTimeout.js';

/** A named step of an orderly stop. */
export interface ShutdownStep {
  name: string;
  run: () => Promise<unknown>;
  /** Milliseconds that it may take (default 500): then the next begins, and the end of the process ends it. */
  limitMs?: number;
}

/** A store that is frozen never says goodbye. */
const STEP_LIMIT_MS = 500;

/**
 * On SIGTERM or SIGINT runs the steps that there are by then in order, and exits 0; exits 1 when a step fails or the
 * limit (ms) passes.
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
