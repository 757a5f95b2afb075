import { markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { takeBackTries } from '../work/claims.js';
import { finish } from '../work/runMarks.js';
import { createRounds } from './rounds.js';

/** How many threads are built at once. */
const AT_ONCE = 50;

/** Builds threads that events have changed, before the background loop comes to them. */
export interface ThreadBuilds {
  /**
   * Builds a thread soon. A second call before that build begins changes nothing. A call during the build has the
   * thread built once more afterwards.
   */
  ask(threadId: string): void;
  /** Begins no more builds, and resolves when none is under way. Other workers do the builds that waited. */
  end(): Promise<void>;
}

/**
 * The builds of one process. Whoever records an event sets the thread's mark with `claim`, so that no other worker
 * begins the build. When a build fails, its mark stays, and the background loop builds the thread later. The same
 * happens when the signal is aborted while a build waits for another worker's claim: that worker may have been killed,
 * and then its claim ends only with its lease.
 */
export function createThreadBuilds(
  deps: IndexerDeps & Pick<SyncDeps, 'signal'>,
  claim: string,
): ThreadBuilds {
  const waiting = new Set<string>();
  const underWay = new Map<string, Promise<void>>();
  let isEnding = false;
  const build = async (threadId: string): Promise<void> => {
    try {
      await finish(deps, 'thread', threadId, { claim, signal: deps.signal });
    } catch (error) {
      if (!deps.signal.aborted) {
        deps.logger.warn(
          { err: error, threadId },
          'A thread could not be built at once: its mark is done later',
        );
      }
    }
    underWay.delete(threadId);
    if (waiting.size > 0) void beginSoon();
  };
  /** Returns how many builds have begun. */
  const begin = (): number => {
    let begun = 0;
    for (const threadId of waiting) {
      if (isEnding || underWay.size >= AT_ONCE) break;
      if (underWay.has(threadId)) continue;
      waiting.delete(threadId);
      underWay.set(threadId, build(threadId));
      begun += 1;
    }
    return begun;
  };
  const beginSoon = createRounds(begin);
  return {
    ask(threadId) {
      waiting.add(threadId);
      void beginSoon();
    },
    async end() {
      isEnding = true;
      await Promise.all(underWay.values());
      const left = [...waiting].map((threadId) => ({ _id: markId('thread', threadId), claim }));
      if (left.length > 0) await takeBackTries(deps, left);
    },
  };
}
