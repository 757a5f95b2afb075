import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { Quarantining } from '../work/quarantineMark.js';
import { takeOut } from './takeOut.js';

/** Causes that take nothing out of a thread. Every other cause may. */
const KEEPING = /^(import|reindex-views|verify)\//;

/**
 * Prepares to quarantine a thread whose build fails every time. Its last views stay, unless a cause of the mark has
 * deleted, erased, withheld or left out something of the thread. Then its views and search documents are removed.
 */
export async function quarantineThread(deps: IndexerDeps, mark: Mark): Promise<Quarantining> {
  if (mark.causes?.some((cause) => !KEEPING.test(cause))) {
    await takeOut(deps, mark);
    return { reason: 'It could not be built, and is not shown any more' };
  }
  return {
    // A `lists` mark has threads looked for that forward messages of this thread. A build would set it, but no build
    // will succeed.
    store(documents, { subject, failure }) {
      if (!failure) documents.mark('lists', subject);
    },
  };
}
