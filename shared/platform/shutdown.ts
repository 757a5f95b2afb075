import type { Logger } from './logger.js';

/** A named step of an orderly stop. */
export interface ShutdownStep {
  name: string;
  run(): Promise<unknown>;
}

/** On SIGTERM or SIGINT runs the steps in order, then exits 0; exits 1 when a step fails or the limit (ms) passes. */
export function stopOnSignal(steps: ShutdownStep[], logger: Logger, limitMs = 10_000): void {
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

/** Runs each step even when an earlier one failed; true when all went well. */
export async function runSteps(steps: ShutdownStep[], logger: Logger): Promise<boolean> {
  let clean = true;
  for (const step of steps) {
    try {
      await step.run();
    } catch (error) {
      clean = false;
      logger.error({ error, step: step.name }, 'A step of the shutdown failed');
    }
  }
  return clean;
}
