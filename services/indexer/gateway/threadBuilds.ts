import { markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { createTasks } from '../sync/tasks.js';
import { isOwn, takeBackTries } from '../work/claims.js';
import { KINDS } from '../work/kinds.js';
import { finishMark } from '../work/tryMarks.js';
import { createThreadRounds, type ThreadRounds } from './rounds.js';

/** Builds threads that events have changed, before the background loop comes to them. */
export interface ThreadBuilds extends Pick<ThreadRounds, 'ask'> {
  /** Begins no more builds, and resolves when none is under way. Other workers do the builds that waited. */
  end(): Promise<void>;
}

/**
 * The builds of one process. Whoever records an event claims the thread's mark for `owner`, so that no other worker
 * begins the build. In three cases the mark stays, and the background loop builds the thread later:
 * - The build has failed.
 * - The signal is aborted while the build waits for another worker's claim. That worker may have been killed, and then
 *   its claim ends only with its lease.
 * - The thread is long, and rests between two builds. Only so many threads are built here at the same time, so threads
 *   that rest would hold up the others.
 */
export function createThreadBuilds(
  deps: IndexerDeps & Pick<SyncDeps, 'fail'>,
  owner: string,
): ThreadBuilds {
  const tasks = createTasks(deps);
  const rounds = createThreadRounds({
    tasks,
    async run(threadId) {
      try {
        await finishMark(deps, KINDS.thread, markId('thread', threadId), {
          owner,
          leavesResting: true,
        });
      } catch (error) {
        if (deps.signal.aborted) return;
        deps.logger.warn(
          { err: error, threadId },
          'A thread could not be built at once: its mark is done later',
        );
      }
    },
  });
  return {
    ask: (threadId) => rounds.ask(threadId),
    async end() {
      const left = rounds.drop().map((threadId) => markId('thread', threadId));
      await tasks.end();
      if (left.length === 0) return;
      const marks = await deps.collections.work.find({ _id: { $in: left } }).toArray();
      const own = marks.filter((mark) => isOwn(mark, owner));
      await takeBackTries(deps, own);
    },
  };
}
