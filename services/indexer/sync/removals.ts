import type { IndexerDeps } from '../deps.js';
import { awaitRemoval } from '../jobs/removal.js';

/** What is removed here since the platform removed it. Nobody waits for the end of it. */
export interface Removals {
  /** Does what follows from a deletion that is recorded; nothing for null. */
  add(recorded: { serverId: string; cause: string } | null): void;
  /** Resolves when nothing of what was added is left that this process could do now. */
  end(): Promise<void>;
}

/**
 * Does what follows from deletions, so that they leave caches and search at once. What a process leaves undone, others
 * do: the deletions are recorded, and marked. When the signal is aborted, it waits no more for other workers.
 */
export function createRemovals(deps: IndexerDeps, signal: AbortSignal): Removals {
  /** Servers by cause. */
  let waiting = new Map<string, string>();
  let running: Promise<void> | null = null;
  const leave = (error: unknown): void => {
    if (!signal.aborted) deps.logger.warn({ err: error }, 'A removal is left to the background');
  };
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const group = waiting;
      waiting = new Map();
      const serverIds = new Set(group.values());
      await awaitRemoval(deps, [...group.keys()], serverIds, { signal }).catch(leave);
    }
    running = null;
  };
  return {
    add(recorded) {
      if (!recorded) return;
      waiting.set(recorded.cause, recorded.serverId);
      running ??= run();
    },
    end: async () => running ?? undefined,
  };
}
