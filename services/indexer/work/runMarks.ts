import type { Filter } from 'mongodb';
import { setTimeout as pause } from 'node:timers/promises';
import {
  AT_ONCE,
  markId,
  MOST_TRIES,
  NEVER,
  type LoopKind,
  type Mark,
} from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { isPassing } from '../permanentErrors.js';
import { claimMarks, isDue, latestLeaseEnd } from './claims.js';
import { KINDS } from './kinds.js';
import { finishMark, POLL_MS, tryMarks, type FinishOptions } from './tryMarks.js';

/** Every kind of work that the background loops do, in the order in which one leads to the next. */
export const ALL_KINDS = Object.keys(KINDS) as LoopKind[];

/**
 * Does a batch of each kind of work that is due. Resolves with true when it did something, and else with the
 * milliseconds until something is due, where that is known. `among` narrows the marks; then it is not known. Throws
 * when something failed that is to be tried again.
 */
export async function runDue(
  deps: IndexerDeps,
  among: Filter<Mark> = {},
  kinds: readonly LoopKind[] = ALL_KINDS,
): Promise<boolean | number> {
  const isAll = Object.keys(among).length === 0;
  const earliest = isAll
    ? await earliestDue(deps, kinds)
    : new Map(kinds.map((kind) => [kind, AT_ONCE]));
  // An archive at rest has no marks at all.
  if (earliest.size === 0) return false;
  let did = false;
  for (const kind of kinds) {
    const due = earliest.get(kind);
    if (due && isDue(due) && (await runKind(deps, kind, among)) > 0) did = true;
  }
  if ((await runStray(deps, among, kinds)) > 0) did = true;
  if (did) return true;
  // What is due by now, and was not done, is held back: it is looked for again after the next change.
  const later = [...earliest.values()].filter((due) => !isDue(due) && due < NEVER);
  const nextAt = Math.min(...later.map((due) => due.getTime()));
  return later.length > 0 ? Math.max(nextAt - Date.now(), POLL_MS) : false;
}

/** When the first mark of each kind is due: one key of the index is read for each kind that has any. */
async function earliestDue(
  { collections: { work } }: IndexerDeps,
  kinds: readonly LoopKind[],
): Promise<Map<LoopKind, Date>> {
  const found = await work
    .aggregate<{ _id: LoopKind; due: Date }>([
      { $match: { kind: { $in: [...kinds] } } },
      { $sort: { kind: 1, due: 1 } },
      { $group: { _id: '$kind', due: { $first: '$due' } } },
    ])
    .toArray();
  return new Map(found.map(({ _id, due }) => [_id, due]));
}

/** Resolves with how many marks of the kind it took. */
async function runKind(deps: IndexerDeps, kind: LoopKind, among: Filter<Mark>): Promise<number> {
  const { work } = deps.collections;
  const { batch, isHeldBack } = KINDS[kind];
  const due = { $and: [{ kind, due: { $lte: new Date() } }, among] };
  const found = await work.find(due).sort({ due: 1 }).limit(batch).toArray();
  const fresh = found.filter(({ tries }) => tries === undefined);
  // Work on a mark that was begun before, and did not end, may kill the process. Such a mark is done by itself, so that
  // the tries of others are not used up with its own.
  const tried =
    fresh.length === found.length && found.length < batch
      ? null
      : await work.findOne({ ...due, tries: { $exists: true } }, { sort: { tries: 1 } });
  const groups = [fresh, tried ? [tried] : []];
  if (groups.flat().length === 0 || (await isHeldBack?.(deps))) return 0;
  let taken = 0;
  for (const group of groups) taken += await runFree(deps, kind, group);
  return taken;
}

/**
 * Does one mark that is to be done now although its `due` lies far ahead. There are two such kinds. A mark was
 * quarantined, and somebody set it again after that. Or a process whose clock was ahead claimed a mark, and then ended
 * without doing it. Resolves with the number of marks done: 1 or 0.
 */
async function runStray(
  deps: IndexerDeps,
  among: Filter<Mark>,
  kinds: readonly LoopKind[],
): Promise<number> {
  const changed = { due: NEVER, $expr: { $ne: ['$token', '$failedToken'] } };
  const late = { kind: { $in: [...kinds] }, due: { $gt: latestLeaseEnd() } };
  const mark = await deps.collections.work.findOne({
    $and: [late, among, { $or: [changed, { due: { $lt: NEVER } }] }],
  });
  if (!mark) return 0;
  const kind = mark.kind as LoopKind;
  return (await KINDS[kind].isHeldBack?.(deps)) ? 0 : runFree(deps, kind, [mark]);
}

/** Does those of some marks that nobody else has claimed. Resolves with how many these are. */
async function runFree(deps: IndexerDeps, kind: LoopKind, marks: Mark[]): Promise<number> {
  const claimed = await claimMarks(deps, marks);
  if (claimed.length > 0) await runClaimed(deps, kind, claimed);
  return claimed.length;
}

/** Does what claimed marks of a kind ask for. Throws when it is to be tried again. */
export function runClaimed(deps: IndexerDeps, kind: LoopKind, marks: Mark[]): Promise<void> {
  return tryMarks(deps, KINDS[kind].run, marks);
}

/**
 * Does all that follows from a cause, or from any of some, and resolves when no mark names one any more. `onLeft` is
 * told how many marks are left; `kind` narrows it to one kind of work. What cannot be done is quarantined, and is not
 * waited for. Rejects when the signal is aborted while others are to do what is left.
 */
export async function settled(
  deps: IndexerDeps,
  cause: string | readonly string[],
  onLeft: (left: number) => void = () => undefined,
  { kind, signal }: { kind?: LoopKind | undefined; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { work } = deps.collections;
  const causes = { $in: [cause].flat() };
  const waited: Filter<Mark> = { causes, ...(kind && { kind }) };
  for (;;) {
    const left = await work.countDocuments(waited);
    onLeft(left);
    if (left === 0) return;
    const did = await runDue(deps, waited, kind && [kind]).catch(throwPassing);
    if (did !== true) await pause(POLL_MS, undefined, { signal });
  }
}

/** After failures that follow each other (ms): each pause is twice as long as the one before. */
const FIRST_PAUSE_MS = 50;
/** More of them than quarantine a mark: what fails then is not the mark. */
const MOST_FAILURES = MOST_TRIES + 1;

/**
 * Finishes one mark of a kind that the background loop does, as `finishMark` does, and tries again, after a pause, what
 * fails for a reason of its own. Throws while a store is away, when it goes on failing without being quarantined, and
 * when the signal is aborted before another worker has given its claim up.
 */
export async function finish(
  deps: IndexerDeps,
  kind: LoopKind,
  subject: string,
  options: FinishOptions = {},
): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await finishMark(deps, KINDS[kind].run, markId(kind, subject), options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isPassing(error) || failures >= MOST_FAILURES) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** (failures - 1));
    }
  }
}

/** What fails for a reason of its own is tried again after a pause: it is quarantined after a few tries. */
function throwPassing(error: unknown): false {
  if (isPassing(error)) throw error;
  return false;
}
