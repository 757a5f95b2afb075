import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../services/local/ports.js';
import type { FloorTask } from './floor/floorTask.js';
import { startProcess, stopProcess } from './processes.js';

/** A server that is measured. */
export interface MeasuredServer {
  url: string;
  /** Its process; undefined where that is not known. */
  pid?: number;
  stop(): Promise<void>;
}

/**
 * The settings of a measured server. They are the defaults, with two exceptions. There is one process, because the
 * floor is one. And the limits are so high that the load client cannot reach them, so that they count and refuse
 * nothing.
 */
const SETTINGS = {
  API_PROCESSES: '1',
  RATE_LIMIT_DISABLED: 'false',
  ...Object.fromEntries(
    ['READS', 'SEARCHES', 'FAILED_CREDENTIALS', 'CALLER'].map((name) => [
      `RATE_LIMIT_${name}`,
      '1000000000',
    ]),
  ),
};

/**
 * Starts the API as a process of its own, as an operator would. Its log goes to a file in `folder`. The process belongs
 * to the session of the benchmark, as floors do. So both compete for the same share of the processor. With
 * `ownSession`, it leads a session of its own.
 */
export async function startApi(
  name: string,
  folder: string,
  env: Record<string, string>,
  { ownSession = false } = {},
): Promise<MeasuredServer> {
  const port = await freePort();
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'w');
  const child = startProcess('api', {
    env: { ...process.env, ...SETTINGS, PORT: String(port), ...env },
    stdio: ['ignore', log, log],
    ownSession,
  });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null) {
      throw new Error(`The API ended before it answered:\n${readFileSync(logFile, 'utf8')}`);
    }
    await pause(50);
  }
  return { url, pid: child.pid!, stop: () => stopProcess(child) };
}

/** Starts a floor. It belongs to the session of the benchmark, or leads a session of its own. */
export async function startFloor(
  task: FloorTask,
  { ownSession = false } = {},
): Promise<MeasuredServer> {
  const script = fileURLToPath(new URL('floor/floorServer.js', import.meta.url));
  const child = fork(script, [JSON.stringify(task)], { detached: ownSession });
  const ended = once(child, 'exit').then(() => {
    throw new Error('The floor ended before it listened');
  });
  ended.catch(() => undefined);
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  return { url, pid: child.pid!, stop: () => stopProcess(child) };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
