import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Env } from './findExecutable.js';
import type { OtherUser } from './otherUser.js';
import { processId, type ProcessId } from './processId.js';

/** What a guard is told about its child. */
export interface GuardSpec {
  command: string;
  args: string[];
  cwd?: string;
  user?: OtherUser | undefined;
  /** Milliseconds between the request to stop and the kill. */
  graceMs: number;
}

/** A child to run: the instructions for its guard, its environment, and the file to which its output is appended. */
export interface GuardedSpec extends Omit<GuardSpec, 'graceMs'> {
  env: Env;
  logFile: string;
  graceMs?: number;
}

/** A running child. It ends with this process, even if this process is killed. */
export interface Guarded {
  /** The child's process id; undefined where it could not be run. */
  pid: Promise<number | undefined>;
  /** The child's exit code, once it has ended. It is 1 where a signal ended it, and 127 where it could not be run. */
  exited: Promise<number>;
  logFile: string;
  /** Asks the child to stop, and kills it after the grace time. Resolves when it has ended. */
  stop(): Promise<void>;
}

const GUARD = fileURLToPath(new URL('./guard.js', import.meta.url));

/** Starts a child under a guard (see guard.ts). */
export function spawnGuarded(spec: GuardedSpec): Guarded {
  const { env, logFile, graceMs = 10_000, ...child } = spec;
  const guard = spawnGuard({ ...child, graceMs }, env, logFile);
  const exited = new Promise<number>((resolve) => {
    guard.on('exit', (code) => resolve(code ?? 1));
    guard.on('error', () => resolve(127));
  });
  const leash = guard.stdin as Writable;
  leash.on('error', () => undefined);
  const pid = readPid(guard.stdio[3] as Readable);
  // Where the guard was killed, it cannot end its child any more. So the child is ended here.
  void Promise.all([pid, exited]).then(([childPid]) => killGroup(childPid));
  return {
    pid,
    exited,
    logFile,
    async stop() {
      leash.end();
      await exited;
    },
  };
}

/** The identities of the children that run. Each child leads its process group. */
export async function processesOf(children: Guarded[]): Promise<ProcessId[]> {
  const pids = await Promise.all(children.map((child) => child.pid));
  return pids.filter((pid) => pid !== undefined).map((pid) => processId(pid));
}

function spawnGuard(spec: GuardSpec, env: Env, logFile: string): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(process.execPath, ['--max-old-space-size=32', GUARD, JSON.stringify(spec)], {
      cwd: '/',
      env,
      detached: true,
      stdio: ['pipe', log, log, 'pipe'],
    });
  } finally {
    closeSync(log);
  }
}

async function readPid(pipe: Readable): Promise<number | undefined> {
  let text = '';
  pipe.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await Promise.race([once(pipe, 'data'), once(pipe, 'close')]);
  pipe.destroy();
  return text === '' ? undefined : Number(text);
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
