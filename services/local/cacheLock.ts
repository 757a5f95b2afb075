import { mkdir, rmdir, stat, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from './withRetries.js';

const BEAT_MS = 1000;
const STALE_MS = 15_000;

/**
 * Runs `work` while no other launcher runs work with the same lock folder. The holder touches the folder every second.
 * So a lock that a killed launcher has left is recognised by its age, and taken over. Rejects where everything is to
 * stop while it waits.
 */
export async function withCacheLock<T>(
  lock: string,
  { children: { stopped: signal }, report }: Context,
  work: () => Promise<T>,
): Promise<T> {
  let isReported = false;
  while (!(await tryLock(lock))) {
    if (!isReported) report.line(`Waiting for another launcher that fills the cache (${lock})`);
    isReported = true;
    if (await isStale(lock)) await rmdir(lock).catch(() => undefined);
    // Launchers A and B find the same stale lock, and A removes it. If A made its own at once, B would remove that one.
    await delay(BEAT_MS, undefined, { signal });
  }
  const timer = setInterval(() => {
    const now = new Date();
    void utimes(lock, now, now).catch(() => undefined);
  }, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await rmdir(lock).catch(() => undefined);
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  return stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > STALE_MS,
    () => false,
  );
}
