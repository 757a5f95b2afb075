import type { Filter } from 'mongodb';
import { setTimeout as pause } from 'node:timers/promises';
import { findGathered } from '../../../shared/store/gather.js';
import { AT_ONCE, markId, NEVER, type Mark, type WorkKind } from '../../../shared/store/work.js';
import { takeOut } from '../build/takeOut.js';
import type { IndexerDeps } from '../deps.js';
import { isPassing } from '../permanentErrors.js';
import { recordFailure } from '../quarantine/recordFailure.js';
import { changeHeld, claimMarks, dueNow, keepClaims } from './claims.js';
import { KINDS } from './kinds.js';

/** What fails, or ends its process, so often is quarantined. */
export const MOST_TRIES = 5;

const POLL_MS = 100;

/** Causes for which nothing of a thread is to go. */
const KEEPING = /^(import|reindex-views|verify)\//;

/**
 * Does a batch of each kind of work that is due. Resolves with true when it did something, and else with the
 * milliseconds until something is due, where that is known. `among` narrows the marks. Throws when something failed
 * that is to be tried again.
 */
export async function runDue(
  deps: IndexerDeps,
  among: Filter<Mark> = {},
): Promise<boolean | number> {
  const { work } = deps.collections;
  // An archive at rest has no marks at all.
  if (!(await work.findOne(among, { projection: { _id: 1 } }))) return false;
  let did = false;
  for (const kind of Object.keys(KINDS) as WorkKind[]) {
    if ((await runKind(deps, kind, among)) > 0) did = true;
  }
  if (did) return true;
  const next = await work.findOne(
    // What is due by now, and was not done, is held back: it is looked for again after the next change.
    { ...among, due: { $gt: new Date(), $lt: NEVER } },
    { sort: { due: 1 }, projection: { due: 1 } },
  );
  return next ? Math.max(next.due.getTime() - Date.now(), POLL_MS) : false;
}

/** Resolves with how many marks of the kind it took. */
async function runKind(deps: IndexerDeps, kind: WorkKind, among: Filter<Mark>): Promise<number> {
  const { work } = deps.collections;
  const { batch, isHeldBack } = KINDS[kind];
  const due = { $and: [{ kind }, among, dueNow()] };
  const fresh = await work
    .find({ ...due, tries: { $exists: false } })
    .sort({ due: 1 })
    .limit(batch)
    .toArray();
  // What was begun before, and did not end, is done by itself: only the guilty one is counted.
  const tried = await work.findOne({ ...due, tries: { $exists: true } }, { sort: { tries: 1 } });
  const again = await changedSinceQuarantined(deps, kind, among);
  const groups = [fresh, ...[tried, again].map((mark) => (mark ? [mark] : []))];
  if (groups.flat().length === 0 || (await isHeldBack?.(deps))) return 0;
  let taken = 0;
  for (const group of groups) {
    const claimed = await claimMarks(deps, group);
    if (claimed.length > 0) await runClaimed(deps, kind, claimed);
    taken += claimed.length;
  }
  return taken;
}

/** A quarantined mark that was set again. */
async function changedSinceQuarantined(
  { collections: { work } }: IndexerDeps,
  kind: WorkKind,
  among: Filter<Mark>,
): Promise<Mark | null> {
  const changed = { $expr: { $ne: ['$token', '$failedToken'] } };
  return work.findOne({ $and: [{ kind, due: NEVER }, among, changed] });
}

/** Does what claimed marks of a kind ask for. Throws when it is to be tried again. */
export async function runClaimed(deps: IndexerDeps, kind: WorkKind, marks: Mark[]): Promise<void> {
  const [first] = marks;
  if (marks.length === 1 && first!.tries! > MOST_TRIES) {
    return quarantine(deps, first!, `Its ${MOST_TRIES} runs ended the process, or were cut off`);
  }
  try {
    await keepClaims(deps, marks, () => KINDS[kind].run(deps, marks));
  } catch (error) {
    if (isPassing(error)) await takeBackTries(deps, marks);
    else if (marks.length === 1 && first!.tries! >= MOST_TRIES) {
      return quarantine(deps, first!, String(error));
    } else await changeHeld(deps, marks, released);
    throw error;
  }
}

/** A store was away: that is not their fault. Where it still is, their leases end by themselves. */
async function takeBackTries(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  await changeHeld(deps, marks, (mark) => {
    const { tries = 1, ...rest } = released(mark);
    return tries > 1 ? { ...rest, tries: tries - 1 } : rest;
  }).catch(() => undefined);
}

/** A mark that anybody may claim, its tries as they are. */
function released({ claim: _claim, ...mark }: Mark): Mark {
  return { ...mark, due: AT_ONCE };
}

/**
 * Leaves a mark to nobody, until its subject changes or somebody releases it. Its last views stay, unless something of it
 * was deleted or erased: then it is taken out of everything that is read.
 */
async function quarantine(deps: IndexerDeps, mark: Mark, cause: string): Promise<void> {
  const { kind, subject, tries = 0, causes = [] } = mark;
  const isRemoval = kind === 'thread' && causes.some((one) => !KEEPING.test(one));
  if (isRemoval) await takeOut(deps, mark);
  await recordFailure(deps, {
    ...(kind === 'thread'
      ? { kind, subject, threadId: subject }
      : { kind: 'work' as const, subject: mark._id, threadId: null }),
    ...{ revision: 0, count: Math.min(tries, MOST_TRIES) },
    // What was said of the failure may quote what is to go.
    reason: isRemoval ? 'It could not be built, and is not shown any more' : cause,
  });
  // One that threw is tried once when it has changed; one that ended the process is not.
  const left = tries > MOST_TRIES ? tries : MOST_TRIES - 1;
  await changeHeld(deps, [mark], (now) => {
    // Set again meanwhile: who did so waits for its causes, which this run has not heard of.
    if (now.token !== mark.token) return { ...released(now), tries: left };
    const { causes: _causes, ...rest } = released(now);
    return { ...rest, due: NEVER, failedToken: mark.token, tries: left };
  });
}

/**
 * Does all that follows from a cause, and resolves when no mark names it any more. `onLeft` is told how many marks are
 * left; `kind` narrows it to one kind of work. What cannot be done is quarantined, and is not waited for.
 */
export async function settled(
  deps: IndexerDeps,
  cause: string,
  onLeft: (left: number) => void = () => undefined,
  kind?: WorkKind,
): Promise<void> {
  const { work } = deps.collections;
  const waited: Filter<Mark> = { causes: cause, ...(kind && { kind }) };
  for (;;) {
    const left = await work.countDocuments(waited);
    onLeft(left);
    if (left === 0) return;
    const did = await untilQuarantined(() => runDue(deps, waited));
    if (did !== true) await pause(POLL_MS);
  }
}

/**
 * Does one mark to its end. While somebody else holds its claim, this waits. A mark that is set again meanwhile is done
 * again. Resolves with true when the mark is gone, and with false when it is quarantined. `claim`: the caller's own claim
 * on it, where there is one.
 */
export async function finish(
  deps: IndexerDeps,
  kind: WorkKind,
  subject: string,
  claim?: string,
): Promise<boolean> {
  const { work } = deps.collections;
  for (;;) {
    const mark = await findGathered(work, markId(kind, subject));
    if (!mark) return true;
    if (isQuarantined(mark)) return false;
    const isOwn = mark.claim !== undefined && mark.claim === claim;
    const claimed = isOwn ? [mark] : await claimMarks(deps, [mark]);
    if (claimed.length === 0) await pause(POLL_MS);
    else await untilQuarantined(() => runClaimed(deps, kind, claimed));
  }
}

/** What fails for a reason of its own is tried again at once: it is quarantined after a few tries. */
async function untilQuarantined(run: () => Promise<unknown>): Promise<unknown> {
  return run().catch((error: unknown) => {
    if (isPassing(error)) throw error;
    return true;
  });
}

/** Whether nobody is to do a mark: it failed too often, and nothing has changed since. */
export function isQuarantined({ due, token, failedToken }: Mark): boolean {
  return due.getTime() === NEVER.getTime() && token === failedToken;
}
