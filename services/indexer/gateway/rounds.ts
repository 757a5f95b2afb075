import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import type { Tasks } from '../sync/tasks.js';

/** The rest after a round (ms) for each of its threads, and the longest rest. */
const MS_A_THREAD = 50;
const LONGEST_MS = 300;
/** The most threads whose work is done at the same time. */
const AT_ONCE = 50;

/** Work for threads. The work of one thread is never done twice at the same time. */
export interface ThreadRounds {
  /**
   * Asks for the work of a thread, which begins soon. A second call before the work begins changes nothing. After a
   * call during the work, the work is done once more.
   */
  ask(threadId: string): void;
  /** Returns the threads whose work waits to begin. It does not begin any more. */
  drop(): string[];
}

interface RoundsOptions {
  /** Runs the work, and the rounds. */
  tasks: Tasks;
  run: (threadId: string) => Promise<void>;
  /** The promise that the work of a thread has to wait for; null where it need not wait. */
  gate?: (threadId: string) => Promise<void> | null;
}

/** Makes rounds in which no work waits yet. */
export function createThreadRounds({ tasks, run, gate = () => null }: RoundsOptions): ThreadRounds {
  const waiting = new Set<string>();
  const underWay = new Set<string>();
  const work = async (threadId: string): Promise<void> => {
    await run(threadId);
    underWay.delete(threadId);
    if (waiting.size > 0) await beginSoon();
  };
  /** Returns for how many threads work has begun. */
  const begin = (): number => {
    const before = underWay.size;
    for (const threadId of waiting) {
      if (underWay.size >= AT_ONCE) break;
      if (underWay.has(threadId)) continue;
      waiting.delete(threadId);
      const opened = gate(threadId);
      if (opened) tasks.start(() => opened.then(() => ask(threadId)));
      else {
        underWay.add(threadId);
        tasks.start(() => work(threadId));
      }
    }
    return underWay.size - before;
  };
  const beginSoon = createRounds(begin);
  const ask = (threadId: string): void => {
    waiting.add(threadId);
    tasks.start(beginSoon);
  };
  return {
    ask,
    drop() {
      const left = [...waiting];
      waiting.clear();
      return left;
    },
  };
}

/**
 * Begins work for threads in rounds, so that the threads of one round ask the stores together. The more threads a round
 * had, the later the next round begins. So a single event does not wait, and a burst takes a few large rounds. `begin`
 * begins the work, and returns for how many threads. Each call of the returned function asks for a round, and resolves
 * when that round has begun.
 */
export function createRounds(begin: () => number): () => Promise<void> {
  let earliest = -Infinity;
  let next: Promise<void> | null = null;
  const wait = async (): Promise<void> => {
    const leftMs = earliest - performance.now();
    await (leftMs > 0 ? pause(leftMs) : setImmediate());
    next = null;
    const restMs = Math.min(begin() * MS_A_THREAD, LONGEST_MS);
    earliest = performance.now() + restMs;
  };
  return () => (next ??= wait());
}
