import { open } from 'node:fs/promises';
import { LaunchError } from './launchError.js';
import { spawnGuarded, type Guarded, type GuardedSpec } from './spawnGuarded.js';

/** The child processes of one launcher. */
export interface Children {
  /** Starts a child that runs until it is stopped. */
  spawn(spec: GuardedSpec): Guarded;
  /**
   * Runs a program to its end. Where its exit code is not 0, it throws LaunchError with `problem` and the last lines of
   * its log.
   */
  run(spec: GuardedSpec, problem: string): Promise<void>;
  /** Stops all children that still run, at the same time, and lets no new one start. Resolves when all have ended. */
  stopAll(): Promise<void>;
  /** Aborted as soon as stopAll is called. */
  stopped: AbortSignal;
}

/** Makes an empty set of children. A child is forgotten when it ends. */
export function createChildren(): Children {
  const running = new Set<Guarded>();
  const stop = new AbortController();
  const start = (spec: GuardedSpec): Guarded => {
    if (stop.signal.aborted)
      throw new LaunchError(`${spec.command} was not started, since everything is stopping`);
    const child = spawnGuarded(spec);
    running.add(child);
    void child.exited.then(() => running.delete(child));
    return child;
  };
  return {
    spawn: start,
    async run(spec, problem) {
      const child = start(spec);
      if ((await child.exited) === 0) return;
      throw new LaunchError(`${problem}\n${await logTail(child.logFile)}`);
    },
    async stopAll() {
      stop.abort();
      await Promise.all([...running].map((child) => child.stop()));
    },
    stopped: stop.signal,
  };
}

const TAIL_BYTES = 8192;
const TAIL_LINES = 12;

/** The last lines of a log, indented, below a line that names the file. */
export async function logTail(file: string): Promise<string> {
  const text = await lastText(file).catch(() => '');
  const lines = text.trimEnd().split('\n').slice(-TAIL_LINES);
  return [`Its log ends like this (${file}):`, ...lines.map((line) => `  ${line}`)].join('\n');
}

async function lastText(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
