import { NEVER } from '../../../../shared/store/work.js';
import { KINDS } from '../../work/kinds.js';
import type { AreaContext } from '../area.js';
import { waitingMarks } from '../awaitWork.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from './mostListed.js';

/** Kinds of marks that another area compares. */
const COMPARED: readonly string[] = ['thread'];

/**
 * Looks for marks that should be done soon. A mark that two looks find unchanged is done by nobody. Marks of threads
 * are reported with their threads.
 */
export async function checkMarks({ deps }: AreaContext): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    if (COMPARED.includes(kind)) continue;
    const marks = deps.collections.work
      .find({ ...waitingMarks(kind), due: { $ne: NEVER } })
      .limit(MOST_LISTED);
    for await (const { _id: id, token: basis, at } of marks) {
      found.push({ kind: 'work.waiting', id, detail: `Marked ${at.toISOString()}`, basis });
    }
  }
  return found;
}
