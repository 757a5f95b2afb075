import type { Area, AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { checkErased } from './checkErased.js';
import { checkMarks } from './checkMarks.js';
import { checkOrphanRanks } from './checkOrphanRanks.js';
import { checkPieces } from './checkPieces.js';
import { checkUnplaced } from './checkUnplaced.js';
import { checkUploads } from './checkUploads.js';
import { checkWaiting } from './checkWaiting.js';

/** The checks for what may be left behind. */
const CHECKS: readonly ((context: AreaContext) => Promise<Difference[]>)[] = [
  checkErased,
  checkMarks,
  checkOrphanRanks,
  checkPieces,
  checkUploads,
  checkUnplaced,
  checkWaiting,
];

/** What belongs to no thread, person or server. Each look is at all of it, whatever ids are asked for. */
export function leftoversArea(context: AreaContext): Area {
  return {
    name: 'leftovers',
    total: () => Promise.resolve(1),
    async *windows() {
      yield await Promise.resolve({ after: '' });
    },
    async look() {
      const found: Difference[] = [];
      for (const check of CHECKS) found.push(...(await check(context)));
      return found;
    },
  };
}
