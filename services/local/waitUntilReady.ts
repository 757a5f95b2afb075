import { setTimeout as delay } from 'node:timers/promises';
import { logTail } from './children.js';
import { LaunchError } from './launchError.js';
import type { Guarded } from './spawnGuarded.js';

const POLL_MS = 100;

/**
 * Asks until a child is ready. Throws LaunchError with the end of its log where it ends first, or is not ready in time.
 */
export async function waitUntilReady(
  name: string,
  child: Guarded,
  isReady: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  let exitCode: number | undefined;
  void child.exited.then((code) => (exitCode = code));
  const deadline = performance.now() + timeoutMs;
  let reason = '';
  const attempt = (): Promise<boolean> =>
    isReady().catch((error: unknown) => {
      reason = `: ${error instanceof Error ? error.message : String(error)}`;
      return false;
    });
  while (!(await attempt())) {
    if (exitCode !== undefined) throw await crashError(name, child, exitCode);
    if (performance.now() > deadline) {
      const seconds = Math.round(timeoutMs / 1000);
      throw new LaunchError(
        `${name} was not ready after ${seconds} s${reason}\n${await logTail(child.logFile)}`,
      );
    }
    await delay(POLL_MS);
  }
}

/** The error for a child that has ended by itself: its name, its exit code and the end of its log. */
export async function crashError(name: string, child: Guarded, code: number): Promise<LaunchError> {
  return new LaunchError(`${name} stopped (exit code ${code})\n${await logTail(child.logFile)}`);
}
