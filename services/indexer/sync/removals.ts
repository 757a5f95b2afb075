import type { IndexerDeps } from '../deps.js';
import { awaitRemoval } from '../jobs/removal.js';

/** What is removed here since the platform removed it. Nobody waits for the end of it. */
export interface Removals {
  /** Does what follows from a deletion that is recorded; nothing for null. */
  add(recorded: { serverId: string; cause: string } | null): void;
  /** Resolves when nothing of what was added is left to be done by this process. */
  end(): Promise<void>;
}

/**
 * Does what follows from deletions, so that they leave caches and search at once. What a process leaves undone, others do:
 * the deletions are recorded, and marked.
 */
export function createRemovals(deps: IndexerDeps): Removals {
  /** Servers by cause. */
  let waiting = new Map<string, string>();
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const group = waiting;
      waiting = new Map();
      await awaitRemoval(deps, [...group.keys()], new Set(group.values())).catch((error: unknown) =>
        deps.logger.warn({ err: error }, 'A removal is left to the background'),
      );
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
