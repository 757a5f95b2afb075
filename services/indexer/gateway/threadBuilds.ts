import type { IndexerDeps } from '../deps.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { finish } from '../work/runMarks.js';

/** Threads built at once. */
const AT_ONCE = 16;

/** Builds threads that events have changed, before the background comes to them. */
export interface ThreadBuilds {
  /** Builds a thread soon. Asked again before that build begins, it adds none; asked again during it, it adds one. */
  ask(threadId: string): void;
  /** Begins nothing more, and resolves when nothing is being built. */
  end(): Promise<void>;
}

/**
 * The builds of one process. When a build fails, its mark stays, and the background loop builds the thread later. The
 * same happens when the signal is aborted while a build waits for another worker's claim: that worker may have been
 * killed, and then its claim ends only with its lease.
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
