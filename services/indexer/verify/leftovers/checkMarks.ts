import { NEVER } from '../../../../shared/store/work.js';
import { ALL_KINDS } from '../../work/kinds.js';
import type { AreaContext } from '../area.js';
import { basisOf, waitingMarks } from '../awaitWork.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from '../mostListed.js';

/**
 * Looks for marks that should be done soon. A mark that two looks find unchanged is done by nobody. Marks of threads
 * are reported with their threads.
 */
export async function checkMarks({ deps }: AreaContext): Promise<Difference[]> {
  const found: Difference[] = [];
  const { work } = deps.collections;
  const marked = new Set<string>(await work.distinct('kind'));
  for (const kind of ALL_KINDS.filter((one) => one !== 'thread' && marked.has(one))) {
    const marks = work.find({ ...waitingMarks(kind), due: { $lt: NEVER } }).limit(MOST_LISTED);
    for await (const mark of marks) {
      const detail = `Marked ${mark.at.toISOString()}`;
      found.push({ kind: 'work.waiting', id: mark._id, detail, basis: basisOf(mark) });
    }
  }
  return found;
}
