import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
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

const TAIL_BYTES = 256 * 1024;
const TAIL_LINES = 12;
const LINE_LENGTH = 500;
const LITTLE_SPACE = 100 * 1024 * 1024;
/**
 * Lines that would hide others. The launcher asks the API ten times a second until it is ready. Elasticsearch writes a
 * line for each call on Java's stack, below the one that tells why it ends.
 */
const NOISE = /"route":"\/readyz"|^\t(?:at |\.\.\. \d)/;
/** Matches an error in the log of MongoDB. After the error for which it ends, MongoDB writes 20 to 50 lines more. */
const ERROR_OF_MONGODB = /^\{"t":.*?"s":"[EF]"/;
const SEARCHED_LINES = 100;
const ERROR_LINES = 3;

/**
 * The last lines of a log, indented, below a line that names the file. Where MongoDB has written errors shortly before,
 * these come first. The last line tells when the disk is full, because then no program can write down why it ends.
 */
export async function logTail(file: string): Promise<string> {
  const text = await lastText(file).catch(() => '');
  const all = text
    .trimEnd()
    .split('\n')
    .filter((line) => !NOISE.test(line));
  const errors = all
    .slice(-SEARCHED_LINES, -TAIL_LINES)
    .filter((line) => ERROR_OF_MONGODB.test(line))
    .slice(-ERROR_LINES);
  const lines = [...errors, ...all.slice(-TAIL_LINES)].map(
    (line) => `  ${line.slice(0, LINE_LENGTH)}${line.length > LINE_LENGTH ? '…' : ''}`,
  );
  const disk = await statfs(dirname(file)).catch(() => undefined);
  return [
    `Its log ends like this (${file}):`,
    ...lines,
    ...spaceWarning(dirname(file), disk ? disk.bavail * disk.bsize : Infinity),
  ].join('\n');
}

/** A line that says that a disk is full or nearly so; none where `free`, in bytes, is enough. */
export function spaceWarning(folder: string, free: number): string[] {
  if (free >= LITTLE_SPACE) return [];
  return [`The disk of ${folder} has only ${Math.floor(free / 1024 / 1024)} MB left`];
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
