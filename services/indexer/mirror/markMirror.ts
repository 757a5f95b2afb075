import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { Documents } from '../work/commit.js';

/** The causes of removals. Their jobs wait until the copies are removed, too. */
const REMOVAL = /^(?:erase-user|delete-\w+)\//;

/** Marks the files of a subject, where there is a mirror. Only removals wait for such a mark. */
export function markMirror(
  { mirror }: Pick<IndexerDeps, 'mirror'>,
  documents: Documents,
  subject: `${'thread' | 'user' | 'server'}/${string}`,
  { causes = [] }: { causes?: Mark['causes'] | undefined },
): void {
  if (!mirror) return;
  documents.mark('mirror', subject, { causes: causes.filter((cause) => REMOVAL.test(cause)) });
}
