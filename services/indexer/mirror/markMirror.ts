import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { Documents } from '../work/commit.js';

/** Causes whose job waits until nothing is left of what was removed. */
const REMOVAL = /^(?:erase-user|delete-\w+)\//;

/** Marks the files that something shows, where there is a mirror. Only who removes something waits for them. */
export function markMirror(
  { mirror }: Pick<IndexerDeps, 'mirror'>,
  documents: Documents,
  subject: `${'thread' | 'user' | 'server'}/${string}`,
  { causes = [] }: { causes?: Mark['causes'] | undefined },
): void {
  if (!mirror) return;
  documents.mark('mirror', subject, { causes: causes.filter((cause) => REMOVAL.test(cause)) });
}
