import { setTimeout as pause } from 'node:timers/promises';
import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { NEVER, type LateKind, type LoopKind, type Mark } from '../../../shared/store/work.js';
import { markAgedMembers } from '../build/buildPeople.js';
import type { IndexerDeps } from '../deps.js';
import { ALL_KINDS } from '../work/kinds.js';
import { lateRequests } from './lateRequests.js';

/** Resolves with how much is left of one kind of work. */
type Count = () => Promise<number>;
/** Resolves with a number that is higher than before where workers have gone on with their work meanwhile. */
type Busy = () => Promise<number>;

const POLL_MS = 100;
/** A count of what is left takes a tenth of the time at most. Where a count takes long, the next one begins later. */
const REST_TIMES = 10;
const LONGEST_REST_MS = 30_000;
/** Busy workers are waited for at most this many times as long as idle ones. */
const BUSY_TIMES = 10;
/** How late (ms) similar threads may be looked for while files are imported, with a reserve. */
const SIMILAR_AFTER_MS = 20 * 60_000;

/**
 * Waits until late requests and the work that is marked now have been done. It waits for one kind of mark after the
 * other, because each kind leads to the next. Gives up when for `patienceMs` none has been done, and no claim has been
 * renewed: then nobody works on them. A worker may be busy with one long thread, and do the other marks after that. It
 * is waited for, but not for ever.
 */
export async function awaitWork(
  deps: Pick<IndexerDeps, 'collections' | 'commit'>,
  patienceMs: number,
): Promise<void> {
  const { collections } = deps;
  // After a restore, and where no indexer ran for an hour, requests are late whose jobs have only begun.
  await awaitNone(async () => (await lateRequests(collections)).length, patienceMs);
  // At midnight UTC the rolling periods of many people change. The indexer marks these people little by little, which
  // may take hours. So those that are left are marked now.
  await markAgedMembers(deps, new Date(), 0);
  for (const kind of ALL_KINDS) {
    const left = await markedNow(collections, kind);
    if (!(await awaitNone(left, patienceMs, latestClaim(collections, kind)))) return;
  }
}

/**
 * Resolves with a count of the marks that were set by now and are left. The newest mark gives the end of this period,
 * because the clocks of other processes may differ.
 */
async function markedNow({ work }: Pick<Collections, 'work'>, kind: LoopKind): Promise<Count> {
  const waiting: Filter<Mark> = { ...waitingMarks(kind), due: { $lt: NEVER } };
  const last = await work.findOne(waiting, { sort: { at: -1 } });
  if (!last) return () => Promise.resolve(0);
  return () => work.countDocuments({ $and: [waiting, { at: { $lte: last.at } }] });
}

/**
 * Makes a function that looks at the claims on marks of this kind and of earlier ones. It resolves with the latest time
 * (ms since 1970) at which one of them ends; with 0 where no such mark is claimed. A worker renews its claims every few
 * seconds, so this time moves on while any of the workers is busy.
 */
function latestClaim({ work }: Pick<Collections, 'work'>, kind: LoopKind): Busy {
  const kinds = ALL_KINDS.slice(0, ALL_KINDS.indexOf(kind) + 1);
  return async () => {
    const last = await work.findOne(
      { kind: { $in: kinds }, due: { $gt: new Date(), $lt: NEVER }, claim: { $exists: true } },
      { sort: { due: -1 }, projection: { due: 1 } },
    );
    return last?.due.getTime() ?? 0;
  };
}

/** Which marks of the late kinds should be done soon. Copies of files may take days, unless something waits for them. */
const SOON: Record<LateKind, () => Filter<Mark>> = {
  similar: () => ({ at: { $lt: new Date(Date.now() - SIMILAR_AFTER_MS) } }),
  mirror: () => ({ causes: { $exists: true } }),
};

/** A filter for the marks of a kind that should be done soon. Most marks of late kinds are left out. */
export function waitingMarks(kind: LoopKind): Filter<Mark> {
  const soon: Partial<Record<LoopKind, () => Filter<Mark>>> = SOON;
  return { ...soon[kind]?.(), kind };
}

/** The basis of a mark that waits. It stays the same only while nobody works on the mark: a worker renews its claim. */
export function basisOf({ token, due }: Mark): string {
  return `${token} ${due.toISOString()}`;
}

/**
 * Resolves with true when nothing is left. Resolves with false when the number left has not fallen for `patienceMs`, and
 * no worker is busy.
 */
async function awaitNone(
  countLeft: Count,
  patienceMs: number,
  busyUntil: Busy = () => Promise.resolve(0),
): Promise<boolean> {
  let least = Infinity;
  let fellAt = performance.now();
  let since = fellAt;
  let busy = 0;
  for (;;) {
    const asked = performance.now();
    const left = await countLeft();
    if (left === 0) return true;
    const now = performance.now();
    const restMs = Math.min(REST_TIMES * (now - asked), LONGEST_REST_MS);
    if (left < least) {
      least = left;
      fellAt = since = now;
    }
    if (now - since > patienceMs) {
      const before = busy;
      busy = await busyUntil();
      if (busy <= before || now - fellAt > BUSY_TIMES * patienceMs) return false;
      since = now;
    }
    await pause(Math.max(restMs, POLL_MS));
  }
}
