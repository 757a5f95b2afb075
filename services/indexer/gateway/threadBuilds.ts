import type { IndexerDeps } from '../deps.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { finish } from '../work/runMarks.js';

/** Threads built at once. */
const AT_ONCE = 16;

/** Builds threads that events have changed, before the background comes to them. */
export interface ThreadBuilds {
  /** Builds a thread soon. What is asked for while it waits, or is built, is built once more together. */
  ask(threadId: string): void;
  /** Begins nothing more, and resolves when nothing is being built. */
  end(): Promise<void>;
}

/**
 * Builds for one process. A build that fails is left to the background: its mark stays. So is one that waits for
 * another worker when the signal is aborted: a killed process keeps its claims for some time.
 */
export function createThreadBuilds(deps: IndexerDeps & Pick<SyncDeps, 'signal'>): ThreadBuilds {
  const waiting = new Set<string>();
  const underWay = new Map<string, Promise<void>>();
  let isEnding = false;
  const build = async (threadId: string): Promise<void> => {
    try {
      await finish(deps, 'thread', threadId, { signal: deps.signal });
    } catch (error) {
      if (!deps.signal.aborted) {
        deps.logger.warn({ err: error, threadId }, 'A thread is left to the background');
      }
    }
    underWay.delete(threadId);
    begin();
  };
  const begin = (): void => {
    for (const threadId of waiting) {
      if (isEnding || underWay.size >= AT_ONCE) return;
      if (underWay.has(threadId)) continue;
      waiting.delete(threadId);
      underWay.set(threadId, build(threadId));
    }
  };
  return {
    ask(threadId) {
      waiting.add(threadId);
      begin();
    },
    async end() {
      isEnding = true;
      await Promise.all(underWay.values());
    },
  };
}
