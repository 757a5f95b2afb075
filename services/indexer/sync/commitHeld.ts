import type { Change } from '../work/commit.js';
import type { SyncDeps } from './syncDeps.js';

/**
 * Makes a change, unless this process has lost the lease meanwhile. Then it throws, and writes nothing. It is for
 * changes that follow from what this process last knew of a server, and are not merged by time. Process A learns that a
 * forum is public, and stands still for longer than its lease. Meanwhile process B takes the lease, learns that the
 * forum is private, and withholds it. When A goes on, it must not show the forum again.
 *
 * The signal is aborted some seconds before B can take the lease. Where A stands still after this check, B writes the
 * same document meanwhile. So MongoDB refuses the transaction of A, and the change is decided again.
 */
export function commitHeld<T>(
  { commit, signal }: Pick<SyncDeps, 'commit' | 'signal'>,
  change: Change<T>,
): Promise<T> {
  return commit({
    reads: change.reads,
    decide(documents) {
      signal.throwIfAborted();
      return change.decide(documents);
    },
  });
}
