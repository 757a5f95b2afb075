import type { Filter } from 'mongodb';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { isPartlyRestored } from '../../../shared/store/restore.js';
import {
  AT_ONCE,
  markId,
  MOST_TRIES,
  NEVER,
  type LoopKind,
  type Mark,
} from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { isTransient } from '../permanentErrors.js';
import { slices } from '../records/slices.js';
import { rest } from '../rest.js';
import { claimMarks, dueNow, isDue } from './claims.js';
import { ALL_KINDS, KINDS } from './kinds.js';
import { finishMark, POLL_MS, tryMarks } from './tryMarks.js';

/**
 * Does a batch of each kind of work that is due, in the order of the kinds. Resolves with true when it did something.
 * Otherwise resolves with how long (ms) until something is due, or with false where nothing is, or that is not known.
 * It is not known when `among` narrows the marks. Does nothing while a restore writes records. Throws when something
 * failed that is to be tried again, once the other kinds were done: somebody who cannot be counted, say, keeps no
 * server from being counted.
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
  if (earliest.size === 0 || (await isPartlyRestored(deps.collections))) return false;
  let did = false;
  const failures: unknown[] = [];
  for (const kind of kinds) {
    // What is done sets marks of later kinds. They are done in the same round. Otherwise a server would be counted
    // before its people are, and once more after that. What failed may have done a part, and set marks, too.
    if (!did && failures.length === 0 && !earliest.has(kind)) continue;
    try {
      if ((await runKind(deps, kind, among)) > 0) did = true;
    } catch (error) {
      if (deps.signal.aborted) throw error;
      failures.push(error);
    }
  }
  // Whoever waits for the marks ends where a store is away, and else tries again.
  if (failures.length > 0) throw failures.find(isTransient) ?? failures[0];
  if (did) return true;
  // A mark that is due by now, and was not done, is held back. It is looked for again after the next change.
  const later = [...earliest.values()].filter((due) => !isDue(due) && due < NEVER);
  const nextAt = Math.min(...later.map((due) => due.getTime()));
  return later.length > 0 ? Math.max(nextAt - Date.now(), POLL_MS) : false;
}

/**
 * Resolves with the earliest due time of each kind that has marks. MongoDB reads one key of the index for each kind.
 */
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

/** Does a batch of one kind. Resolves with how many marks it took. */
async function runKind(deps: IndexerDeps, kind: LoopKind, among: Filter<Mark>): Promise<number> {
  const { work } = deps.collections;
  const { batch, isHeldBack } = KINDS[kind];
  const due = { $and: [{ kind }, dueNow(), among] };
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
  for (const group of groups) {
    const claimed = await claimMarks(deps, group);
    if (claimed.length > 0) await runClaimed(deps, kind, claimed);
    taken += claimed.length;
  }
  return taken;
}

/** Does the work of claimed marks of one kind. Throws when it is to be tried again. */
export function runClaimed(deps: IndexerDeps, kind: LoopKind, marks: Mark[]): Promise<void> {
  return tryMarks(deps, KINDS[kind], marks);
}

/** Marks that are left are counted again after this multiple of the time that the last count took. */
const COUNT_SELDOM = 10;

/**
 * Does the marks that name one or more causes, and those that follow from them. Resolves when no mark names any of the
 * causes. A mark that keeps failing is quarantined, and then names no cause. `kind` restricts this to marks of one
 * kind. `onLeft` is called now and then with the number of marks that are left. Throws while a store is away, and when
 * the signal is aborted while other workers do the marks that are left.
 */
export async function settled(
  deps: IndexerDeps,
  cause: string | readonly string[],
  onLeft?: (left: number) => void,
  { kind }: { kind?: LoopKind | undefined } = {},
): Promise<void> {
  const { work } = deps.collections;
  const causes = { $in: [cause].flat() };
  const waited: Filter<Mark> = { causes, ...(kind && { kind }) };
  let countAt = 0;
  while (await work.findOne(waited, { projection: { _id: 1 } })) {
    const began = performance.now();
    if (onLeft && began >= countAt) {
      onLeft(await work.countDocuments(waited));
      countAt = began + COUNT_SELDOM * (performance.now() - began);
    }
    const did = await runDue(deps, waited, kind && [kind]).catch(throwTransient);
    if (did === true) continue;
    await rest(POLL_MS, deps.signal);
    deps.signal.throwIfAborted();
  }
  onLeft?.(0);
}

/** The pause after a first failure (ms). Each later pause is twice as long as the one before. */
const FIRST_PAUSE_MS = 50;
/** How many failures in a row end the work. It is more than quarantine a mark, so the fault is not in the mark. */
const MOST_FAILURES = MOST_TRIES + 1;

/**
 * Finishes one mark of a kind that the background loop does, as `finishMark` does. After a failure of the work itself,
 * it pauses and tries again. Throws while a store is away, when the work goes on failing without being quarantined, and
 * when the signal is aborted while it waits: another worker has the claim, or the mark is not due.
 */
export async function finish(
  deps: IndexerDeps,
  kind: LoopKind,
  subject: string,
  options: { owner?: string | undefined } = {},
): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await finishMark(deps, KINDS[kind], markId(kind, subject), options);
    } catch (error) {
      deps.signal.throwIfAborted();
      if (isTransient(error) || failures >= MOST_FAILURES) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** (failures - 1));
    }
  }
}

/** How many marks are done by themselves at the same time. */
const MOST_AT_ONCE = 8;

/**
 * Finishes marks of one kind, as `finish` does, in batches of the size that the background loop does at once. A mark of
 * a batch that fails is then done by itself.
 */
export async function finishAll(
  deps: IndexerDeps,
  kind: LoopKind,
  subjects: readonly string[],
): Promise<void> {
  for (const some of slices(subjects, KINDS[kind].batch)) {
    const ids = some.map((subject) => markId(kind, subject));
    const fresh = { _id: { $in: ids }, tries: { $exists: false } };
    const claimed = await claimMarks(deps, await deps.collections.work.find(fresh).toArray());
    if (claimed.length > 0) await runClaimed(deps, kind, claimed).catch(throwTransient);
    await forEachAtOnce(some, MOST_AT_ONCE, async (subject) => {
      await finish(deps, kind, subject);
    });
  }
}

/**
 * Throws an error that says that a store is away. After any other error, the work is tried again after a pause, and
 * quarantined after a few tries.
 */
function throwTransient(error: unknown): false {
  if (isTransient(error)) throw error;
  return false;
}
