import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import { findGathered } from '../../../shared/store/gather.js';
import {
  AT_ONCE,
  markId,
  NEVER,
  type Mark,
  type Marking,
  type WorkKind,
} from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { slices } from '../records/slices.js';
import type { Documents } from './change.js';

/** After this time (ms) without being renewed, a claim is free, because its process has ended. */
export const LEASE_MS = 15_000;
/** How far ahead (ms) a claim may end. A process whose clock was ahead has made a claim that ends later. */
const FUTURE_MS = 60_000;

/** A mark, with a claim on it. */
type Held = Pick<Mark, '_id' | 'claim'>;

/** Marks that are worked on in this process. */
const underWay = new Set<readonly Mark[]>();
/**
 * Claimed marks whose try does not count, by `heldKey`. It could not be taken back, because MongoDB was away, or the
 * process was about to stop.
 */
const excused = new Map<string, Held>();

/** Names a claim on one mark. The marks of a batch have the same claim. */
function heldKey({ _id, claim }: Held): string {
  return `${_id} ${claim}`;
}

/** Returns when a claim that is made now ends. */
function leaseEnd(): Date {
  return new Date(Date.now() + LEASE_MS);
}

/**
 * The latest time at which any claim ends that a process with a right clock has made by now. Where a claim ends later,
 * the clock of the process that made it was ahead.
 */
function latestLeaseEnd(): Date {
  return new Date(Date.now() + FUTURE_MS);
}

/** How many marks are set in one transaction, which must end within a minute. */
const MOST_SET = 5_000;

/**
 * Sets marks of one kind. Many marks are set in several transactions. When one of these fails, the marks of earlier
 * ones stay set.
 */
export async function setMarks(
  { commit }: Pick<IndexerDeps, 'commit'>,
  kind: WorkKind,
  subjects: Iterable<string>,
  marking: Marking = {},
): Promise<void> {
  for (const some of slices([...new Set(subjects)], MOST_SET)) {
    await commit({
      reads: {},
      decide: (documents) => some.forEach((subject) => documents.mark(kind, subject, marking)),
    });
  }
}

/**
 * Claims marks, so that nobody else works on them. Resolves with the marks that it has claimed, each with this try
 * counted. It claims no mark that is gone, and none that is not due. A mark that another worker holds is not due.
 */
export async function claimMarks(
  { commit }: Pick<IndexerDeps, 'commit'>,
  marks: readonly Mark[],
): Promise<Mark[]> {
  if (marks.length === 0) return [];
  const claim = randomUUID();
  return commit({
    reads: readsOf(marks),
    decide: (documents) =>
      marks.flatMap(({ _id }) => {
        const mark = documents.get('work', _id);
        if (!mark || !isDue(mark.due)) return [];
        const { again: _again, tries = 0, ...rest } = mark;
        const counted = excused.has(heldKey(mark)) ? Math.max(tries, 1) : tries + 1;
        // A claim is still set, so its holder began the work and did not end it.
        const whole = mark.claim !== undefined || mark.whole;
        const claimed: Mark = {
          ...rest,
          claim,
          due: leaseEnd(),
          tries: counted,
          ...(whole && { whole }),
        };
        documents.put('work', claimed);
        return [claimed];
      }),
  });
}

/**
 * Whether a mark with this `due` may be claimed. That is so when the time has come, and when the time lies so far ahead
 * that a clock that was ahead must have set it. NEVER is never due.
 */
export function isDue(due: Date): boolean {
  return due.getTime() <= Date.now() || (due > latestLeaseEnd() && due < NEVER);
}

/** A filter for the marks that are due, as `isDue` tells it. */
export function dueNow(): Filter<Mark> {
  return { $or: [{ due: { $lte: new Date() } }, { due: { $gt: latestLeaseEnd(), $lt: NEVER } }] };
}

/** Keeps claims while `run` is under way, however long it takes. Resolves with its result. */
export async function keepClaims<T>(
  deps: Pick<IndexerDeps, 'commit'>,
  marks: readonly Mark[],
  run: () => Promise<T>,
): Promise<T> {
  const renew = (): void => {
    // A failed renewal is tried again soon. If the claims are lost by then, nothing is stored for these marks.
    changeHeld(deps, marks, (mark) => ({ ...mark, due: leaseEnd() })).catch(() => undefined);
  };
  const timer = setInterval(renew, LEASE_MS / 3);
  underWay.add(marks);
  try {
    return await run();
  } finally {
    underWay.delete(marks);
    clearInterval(timer);
  }
}

/**
 * Gives back the marks that this process works on, when it is about to stop. The tries do not count, because the work
 * did not fail. Some work may have ended already, because its changes were refused. Its marks are given back, too.
 */
export async function giveUpClaims(deps: Pick<IndexerDeps, 'commit'>): Promise<void> {
  await takeBackTries(deps, [...[...underWay].flat(), ...excused.values()]);
}

/** Frees claimed marks as if this try had not been made, because a store was away, or the process stops. */
export async function takeBackTries(
  deps: Pick<IndexerDeps, 'commit'>,
  marks: readonly Held[],
): Promise<void> {
  const before = (mark: Mark): Mark => {
    const { tries = 1, ...rest } = released(mark);
    return tries > 1 ? { ...rest, tries: tries - 1 } : rest;
  };
  await changeHeld(deps, marks, before).catch(() => {
    // The claims are then free when their leases end.
    for (const { _id, claim } of marks) {
      if (claim !== undefined) excused.set(heldKey({ _id, claim }), { _id, claim });
    }
  });
}

/**
 * Returns a mark without its claim, so that anybody may claim it. Its tries stay as they are. `whole` is set, because
 * the work was begun and did not end.
 */
export function released({ claim: _claim, again: _again, ...mark }: Mark): Mark {
  return { ...mark, due: AT_ONCE, whole: true };
}

/** Changes the marks whose claims are still held. Leaves the other ones as they are. */
export async function changeHeld(
  { commit }: Pick<IndexerDeps, 'commit'>,
  marks: readonly Held[],
  change: (mark: Mark) => Mark,
): Promise<void> {
  await commit({
    reads: readsOf(marks),
    decide(documents) {
      for (const { _id } of heldMarks(documents, marks)) {
        documents.put('work', change(documents.get('work', _id)!));
      }
    },
  });
}

/** The most marks whose results one transaction stores. Later changes of this process wait for that transaction. */
const MOST_STORED = 50;

/**
 * Stores the results of claimed marks, and ends the marks. The result of a mark and its end are stored in the same
 * transaction, and only while the claim is held. Then it announces `change` to the API processes, even after a failure.
 * The connection may have broken after MongoDB had stored the transaction. The mark is gone then, so nobody would
 * announce the change later.
 */
export async function storeMade(
  { commit, announcer }: Pick<IndexerDeps, 'commit' | 'announcer'>,
  marks: readonly Mark[],
  store: (documents: Documents, mark: Mark) => void,
  change?: Partial<Announcement>,
): Promise<void> {
  try {
    for (const some of slices(marks, MOST_STORED)) {
      await commit({
        reads: readsOf(some),
        decide(documents) {
          for (const mark of heldMarks(documents, some)) {
            store(documents, mark);
            endMark(documents, mark);
          }
        },
      });
    }
  } finally {
    if (change) announcer.announce(change);
  }
}

/** The marks whose claims are still held. */
export function heldMarks<T extends Held>(documents: Documents, marks: readonly T[]): T[] {
  return marks.filter((mark) => isHeld(documents, mark));
}

/** Returns the ids of marks, as the `reads` of a change. */
export function readsOf(marks: readonly Held[]): { work: string[] } {
  return { work: marks.map(({ _id }) => _id) };
}

/** Whether a claim is still held. Only then may the result of the work be stored. */
export function isHeld(documents: Documents, { _id, claim }: Held): boolean {
  return documents.get('work', _id)?.claim === claim;
}

/**
 * Whether a claim is held now. A build asks this once it has its version. Worker A claims a mark and stalls. Meanwhile
 * its claim ends, and worker B claims the mark and builds the thread. When A goes on, it takes a higher version than B,
 * so what A sends would replace B's search documents. A finds here that its claim is lost, and sends nothing. Where A
 * still holds the claim, whoever claims the mark later takes a higher version than A.
 */
export async function isStillHeld(
  { collections }: Pick<IndexerDeps, 'collections'>,
  { _id, claim }: Held,
): Promise<boolean> {
  return (await findGathered(collections.work, _id))?.claim === claim;
}

/**
 * Removes a mark whose work was done. If somebody has set the mark again during that work, the mark stays without its
 * claim, and any worker may do it again from the time `due` on.
 */
export function endMark(documents: Documents, { _id, token }: Mark, due = AT_ONCE): void {
  const now = documents.get('work', _id);
  if (!now) return;
  if (now.token === token) {
    documents.remove('work', _id);
    return;
  }
  // The earlier requests are done. So the mark counts as set now, and names only the causes of the later ones. If it
  // named all, whoever waits for a cause would wait until nothing changes during the work.
  const { causes: _done, again, ...rest } = now;
  freeMark(documents, { ...rest, ...(again && { causes: again }), at: new Date() }, due);
}

/** Frees a mark and forgets its tries, so that anybody may do it from the time `due` on. */
export function freeMark(documents: Documents, mark: Mark, due = AT_ONCE): void {
  const { claim: _claim, tries: _tries, again: _again, ...rest } = mark;
  documents.put('work', { ...rest, due });
}

/**
 * Marks a thread. With `owner`, the mark is claimed for a caller that builds the thread at once, unless the thread
 * rests between two builds. The change must read the thread's mark.
 */
export function markThread(
  documents: Documents,
  threadId: string,
  { owner, ...marking }: Pick<Marking, 'causes' | 'due'> & { owner?: string | undefined },
): void {
  documents.mark('thread', threadId, marking);
  if (owner !== undefined) claimOwn(documents, 'thread', threadId, owner);
}

/**
 * Claims a mark for `owner` in the transaction that sets it, unless somebody else holds it, it has been tried before,
 * or it is not due. Each mark of an owner gets a claim of its own, which names the mark's token. Otherwise, worker A
 * builds a thread for long. Meanwhile worker B takes the mark over, builds the thread, and ends the mark. Then A sets a
 * new mark for the same thread. If both marks had the same claim, A's first build would hold the new mark, and store
 * what it read long before.
 */
export function claimOwn(
  documents: Documents,
  kind: 'thread' | 'file',
  subject: string,
  owner: string,
): void {
  const mark = documents.get('work', markId(kind, subject))!;
  const isFree = mark.claim === undefined && mark.tries === undefined && isDue(mark.due);
  if (!isFree && !isOwn(mark, owner)) return;
  const claim = isFree ? `${owner}/${mark.token}` : mark.claim!;
  documents.put('work', { ...mark, claim, due: leaseEnd(), tries: 1 });
}

/** Whether `owner` holds a mark that it has claimed by `claimOwn`. */
export function isOwn({ claim }: Pick<Mark, 'claim'>, owner: string | undefined): boolean {
  return owner !== undefined && claim?.startsWith(`${owner}/`) === true;
}
