import { setTimeout as pause } from 'node:timers/promises';
import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { NEVER, type Mark, type LoopKind } from '../../../shared/store/work.js';
import { dayOf } from '../views/tallyPeople.js';
import { KINDS } from '../work/kinds.js';

type Marks = Pick<Collections, 'members' | 'work'>;

/** Tells how much is left of one kind of work. */
type Count = () => Promise<number>;

const POLL_MS = 100;
/** While files are imported, similar threads are looked for this late (ms) at most, and some more. */
const SIMILAR_AFTER_MS = 20 * 60_000;

/**
 * Waits until what is marked by now has been done; each kind of mark leads to the next. Gives up when nothing has come
 * nearer to its end for `patienceMs`: nobody works on it.
 */
export async function awaitWork(marks: Marks, patienceMs: number): Promise<void> {
  // At midnight UTC the rolling periods of many people change. The indexer marks these people little by little.
  const aged = { periodDay: { $lt: dayOf(new Date()) } };
  if (!(await awaitNone(() => marks.members.countDocuments(aged), patienceMs))) return;
  for (const kind of Object.keys(KINDS) as LoopKind[]) {
    if (!(await awaitNone(await markedNow(marks, kind), patienceMs))) return;
  }
}

/** What is marked at the beginning, by the marks' own times: clocks of other processes may differ. */
async function markedNow({ work }: Marks, kind: LoopKind): Promise<Count> {
  const waiting: Filter<Mark> = { ...waitingMarks(kind), due: { $ne: NEVER } };
  const last = await work.findOne(waiting, { sort: { at: -1 } });
  if (!last) return () => Promise.resolve(0);
  return () => work.countDocuments({ $and: [waiting, { at: { $lte: last.at } }] });
}

/** Marks that should be done soon: similar threads are looked for late, and copies of files may take days. */
export function waitingMarks(kind: LoopKind): Filter<Mark> {
  if (kind === 'mirror') return { kind, causes: { $exists: true } };
  if (kind !== 'similar') return { kind };
  return { kind, at: { $lt: new Date(Date.now() - SIMILAR_AFTER_MS) } };
}

async function awaitNone(countLeft: Count, patienceMs: number): Promise<boolean> {
  let least = Infinity;
  let since = Date.now();
  for (;;) {
    const left = await countLeft();
    if (left === 0) return true;
    if (left < least) {
      least = left;
      since = Date.now();
    }
    if (Date.now() - since > patienceMs) return false;
    await pause(POLL_MS);
  }
}
