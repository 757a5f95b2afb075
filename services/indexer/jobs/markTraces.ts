import { erasedPeople } from '../../../shared/store/erasures.js';
import type { IndexerDeps } from '../deps.js';
import { redactTitle } from '../records/redactTitle.js';
import { slices } from '../records/slices.js';
import type { Traces } from './findTraces.js';

/** How many threads one transaction marks. */
const BATCH = 200;

/**
 * Marks the threads in which something of erased people was found, and takes their ids, and the names that were found,
 * out of the titles.
 */
export async function markTraces(
  { collections, commit }: IndexerDeps,
  { threadIds, names }: Traces,
  cause: string,
): Promise<void> {
  const erased = await erasedPeople(collections);
  for (const some of slices(threadIds, BATCH)) {
    await commit({
      reads: { threads: some },
      decide(documents) {
        for (const id of some) {
          const thread = documents.get('threads', id);
          const redacted = thread && redactTitle(thread, names, erased);
          if (redacted && redacted !== thread) documents.put('threads', redacted);
          documents.mark('thread', id, { causes: [cause] });
        }
      },
    });
  }
}
