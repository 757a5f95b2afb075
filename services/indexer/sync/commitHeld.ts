import type { Change } from '../work/commit.js';
import type { SyncDeps } from './syncDeps.js';

/**
 * Makes a change while this process holds the lease. Once the process may have lost the lease, it throws the reason of
 * the signal, and nothing is written. It is for changes that are not merged by time, but follow from what this process
 * last knew of a server. Process A learns that a forum is public, and stands still for longer than its lease. Meanwhile
 * process B takes the lease, learns that the forum is private, and withholds it. When A goes on, it must not show the
 * forum again.
 *
 * The signal of A is aborted some seconds before B can take the lease. A may also stand still in the middle of its
 * transaction, after this check. Meanwhile B changes the same document. Then MongoDB aborts A's transaction, and A
 * tries it again, with this check.
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
