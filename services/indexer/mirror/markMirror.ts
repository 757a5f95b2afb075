import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { Documents } from '../work/change.js';

/** The causes of removals. Their jobs wait until the copies are removed, too. */
const REMOVAL = /^(?:erase-user|delete-\w+)\//;

/**
 * Marks the files of a subject. Only removals wait for such a mark. Without a mirror, only removals set one, because
 * records of an earlier mirror's copies may have to go.
 */
export function markMirror(
  { mirror }: Pick<IndexerDeps, 'mirror'>,
  documents: Documents,
  subject: `${'thread' | 'user' | 'server'}/${string}`,
  { causes = [] }: { causes?: Mark['causes'] | undefined },
): void {
  const removals = causes.filter((cause) => REMOVAL.test(cause));
  if (!mirror && removals.length === 0) return;
  documents.mark('mirror', subject, { causes: removals });
}
