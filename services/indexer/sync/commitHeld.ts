import type { Change } from '../work/change.js';
import type { SyncDeps } from './syncDeps.js';

/**
 * Makes a change, but only while this process holds the lease. Where the process may have lost the lease, this throws
 * the reason of the signal, and writes nothing. Changes that are merged by time do not need this. Changes that follow
 * from what this process last knew of a server do. Process A learns that a forum is public, and then stands still for
 * longer than its lease. Meanwhile process B takes the lease, learns that the forum is private, and withholds it. When A
 * goes on, it must not show the forum again.
 *
 * The signal of A is aborted some seconds before B can take the lease. A may also stand still within its transaction,
 * after this check. Meanwhile B changes the same document. So MongoDB aborts the transaction of A. A tries it again, and
 * this time the check throws.
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
