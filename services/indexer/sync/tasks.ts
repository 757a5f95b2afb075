import type { SyncDeps } from './syncDeps.js';

/** Tasks that run at the same time. */
export interface Tasks {
  /** Starts a task. If it fails, the whole sync ends. */
  start(run: () => Promise<void>): void;
  /** Resolves when no task is running. */
  end(): Promise<void>;
}

/** Makes an empty set of tasks. An error after the signal was aborted does not count as a failure. */
export function createTasks({ signal, fail }: Pick<SyncDeps, 'signal' | 'fail'>): Tasks {
  const underWay = new Set<Promise<void>>();
  return {
    start(run) {
      const ended = run()
        .catch((error: unknown) => {
          if (!signal.aborted) fail(error);
        })
        .finally(() => underWay.delete(ended));
      underWay.add(ended);
    },
    async end() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
