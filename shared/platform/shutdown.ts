import { setTimeout as pause } from 'node:timers/promises';
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
/** How long (ms) blocking calls may still take when all steps have been run, and how often they are looked for. */
const LAST_CALLS_MS = 500;
const LOOK_EVERY_MS = 10;
/** What Node calls the work of its thread pool that may hang: calls to a file system, and look-ups of host names. */
const BLOCKING = /^(FSReq|CloseReq|GetAddrInfoReq)/;

/**
 * On SIGTERM or SIGINT, runs the steps in order, and then exits. Steps that were added to the array after this call are
 * run, too. The exit code is 0, or 1 where a step fails or all steps together take longer than `limitMs`. Where a
 * blocking call does not end, such as one to a network file system that is away, the process ends by SIGKILL.
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
      endProcess(1, logger);
    }, limitMs).unref();
    void runSteps(steps, logger).then(async (clean) => {
      await lastCalls();
      endProcess(clean ? 0 : 1, logger);
    });
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

/** Resolves when no blocking call is under way, or after `LAST_CALLS_MS`. */
async function lastCalls(): Promise<void> {
  const latest = performance.now() + LAST_CALLS_MS;
  while (blockingCalls().length > 0 && performance.now() < latest) await pause(LOOK_EVERY_MS);
}

function blockingCalls(): string[] {
  return process.getActiveResourcesInfo().filter((name) => BLOCKING.test(name));
}

/**
 * Ends the process. `process.exit` waits for blocking calls, and so may never return. Only SIGKILL ends a process
 * without that.
 */
function endProcess(code: number, logger: Logger): void {
  const calls = blockingCalls();
  if (calls.length === 0) process.exit(code);
  logger.error(
    { calls },
    'A call to a file system, or for the address of a host, does not end. This process is killed',
  );
  logger.flush();
  process.kill(process.pid, 'SIGKILL');
}
