import { randomUUID } from 'node:crypto';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import {
  AT_ONCE,
  markId,
  type Mark,
  type Marking,
  type WorkKind,
} from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { slices } from '../records/slices.js';
import type { Documents } from './commit.js';

/** A claim that is not renewed for so long is free: its process has ended. */
export const LEASE_MS = 15_000;
/** A claim that ends later than this was made by a clock that was ahead. */
const FUTURE_MS = 60_000;

/** A mark, and a claim on it. */
type Held = Pick<Mark, '_id' | 'claim'>;

/** Marks that are worked on in this process. */
const underWay = new Set<readonly Mark[]>();
/** Claims whose try could not be taken back, because MongoDB itself was away. */
const excused = new Set<string>();

/** When a claim made now ends. */
export function leaseEnd(): Date {
  return new Date(Date.now() + LEASE_MS);
}

/** A claim that ends later was made by a process whose clock is ahead of this one's. */
export function latestLeaseEnd(): Date {
  return new Date(Date.now() + FUTURE_MS);
}

/** Marks set in one transaction, which must end within a minute. */
const MOST_SET = 5_000;

/** Sets marks of one kind, many of them in several transactions: when one fails, marks of the others are set. */
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

/** Takes some marks, so that nobody else works on them. Gives those it has got, each with this try counted. */
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
        const { tries = 0, claim: before = '' } = mark;
        const counted = excused.has(before) ? Math.max(tries, 1) : tries + 1;
        // Whoever has held it before did not end it.
        const whole = mark.claim !== undefined || mark.whole;
        const claimed: Mark = {
          ...mark,
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
 * Whether a mark that is due at this time may be claimed: the time has come, or a clock that was ahead has set it. NEVER
 * counts, too: whoever claims a quarantined mark has decided to try it again.
 */
export function isDue(due: Date): boolean {
  return due.getTime() <= Date.now() || due > latestLeaseEnd();
}

/** Keeps claims while `run` goes on, however long it takes. */
export async function keepClaims<T>(
  deps: Pick<IndexerDeps, 'commit'>,
  marks: readonly Mark[],
  run: () => Promise<T>,
): Promise<T> {
  const renew = (): void => {
    // Tried again soon; should the claims be lost by then, nothing is stored for them.
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

/** Gives back what is worked on in this process, which is about to stop: that is not the fault of the work. */
export async function giveUpClaims(deps: Pick<IndexerDeps, 'commit'>): Promise<void> {
  await takeBackTries(deps, [...underWay].flat());
}

/** Frees claimed marks as if this try had not been: a store was away, or the process stops. */
export async function takeBackTries(
  deps: Pick<IndexerDeps, 'commit'>,
  marks: readonly Held[],
): Promise<void> {
  const before = (mark: Mark): Mark => {
    const { tries = 1, ...rest } = released(mark);
    return tries > 1 ? { ...rest, tries: tries - 1 } : rest;
  };
  await changeHeld(deps, marks, before).catch(() => {
    // Their leases end by themselves.
    for (const { claim } of marks) if (claim !== undefined) excused.add(claim);
  });
}

/** A mark that anybody may claim, its tries as they are. What was begun did not end. */
export function released({ claim: _claim, ...mark }: Mark): Mark {
  return { ...mark, due: AT_ONCE, whole: true };
}

/** Changes those of some claimed marks whose claims are still held. */
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

/** Marks for which something is stored in one transaction at most: whoever comes after them waits for it. */
const MOST_STORED = 50;

/**
 * Stores what was made for marks, and takes these marks away: of each mark in one transaction, and only while its claim
 * is held. Then it announces `change` to the API processes. It does so after a failure, too. The connection may have
 * broken after MongoDB had stored the transaction: the mark is gone then, so nobody would announce the change later.
 */
export async function storeMade(
  { commit, announcer }: Pick<IndexerDeps, 'commit' | 'announcer'>,
  marks: readonly Mark[],
  store: (documents: Documents, mark: Mark) => void,
  change?: Partial<Announcement>,
): Promise<void> {
  try {
    for (let start = 0; start < marks.length; start += MOST_STORED) {
      const some = marks.slice(start, start + MOST_STORED);
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

function heldMarks<T extends Held>(documents: Documents, marks: readonly T[]): T[] {
  return marks.filter((mark) => isHeld(documents, mark));
}

/** The ids of marks, as what a change reads. */
export function readsOf(marks: readonly Held[]): { work: string[] } {
  return { work: marks.map(({ _id }) => _id) };
}

/** Whether a claim is still held: only then may be stored what was made for the mark. */
export function isHeld(documents: Documents, { _id, claim }: Held): boolean {
  return documents.get('work', _id)?.claim === claim;
}

/** Takes a mark away that was done; one that was set again meanwhile is free to be done again. */
export function endMark(documents: Documents, { _id, token }: Mark): void {
  const now = documents.get('work', _id);
  if (!now) return;
  if (now.token === token) {
    documents.remove('work', _id);
    return;
  }
  // What was asked for before is done.
  freeMark(documents, { ...now, at: new Date() });
}

/** Lets a mark be done again, by whoever comes, from a time on. */
export function freeMark(documents: Documents, mark: Mark, due = AT_ONCE): void {
  const { claim: _claim, tries: _tries, failedToken: _failed, ...rest } = mark;
  documents.put('work', { ...rest, due });
}

/** Marks a thread; with `claim` for whoever will build it at once. The change reads the thread's mark. */
export function markThread(
  documents: Documents,
  threadId: string,
  { causes, claim }: { causes?: readonly string[] | undefined; claim?: string | undefined },
): void {
  documents.mark('thread', threadId, { causes });
  if (claim !== undefined) claimOwn(documents, 'thread', threadId, claim);
}

/** Claims a mark in the transaction that sets it, unless somebody holds it, or it failed before. */
export function claimOwn(
  documents: Documents,
  kind: 'thread' | 'file',
  subject: string,
  claim: string,
): void {
  const mark = documents.get('work', markId(kind, subject))!;
  if (mark.claim !== claim && (mark.claim !== undefined || mark.tries !== undefined)) return;
  documents.put('work', { ...mark, claim, due: leaseEnd(), tries: 1 });
}
