import type { DirtyMark } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { clearMarks, dirtyMarks } from '../stores/dirtyMarks.js';
import { nextVersion } from '../stores/nextVersion.js';
import { replaceNewer } from '../stores/replaceNewer.js';
import { findSimilar } from './findSimilar.js';
import { showSimilar } from './showSimilar.js';

const SEARCHED = 20;
const SHOWN = 100;
/** What is written is found this much later (ms). */
const FOUND_AFTER_MS = 1_500;
/** While files are being imported, searching waits so long at most (ms): afterwards there is more to be found. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** In so long (ms) some of many marks have to go, or they do not go at all. */
const PATIENCE_MS = 120_000;

/**
 * Looks for similar threads again where a thread changed, and shows those known anew where one of them changed.
 * Resolves with true when it did something, and with milliseconds when marks have to wait.
 */
export async function refreshSimilar(
  deps: IndexerDeps,
  now = new Date(),
): Promise<boolean | number> {
  const { similarMarks } = deps.collections;
  const hasShown = await showMarked(deps);
  const waiting = await dirtyMarks(similarMarks, 'similar', { limit: SEARCHED });
  const marks = waiting.filter(
    // A mark from the future was set by another clock: it is old enough.
    ({ at }) => Math.abs(now.getTime() - at.getTime()) >= FOUND_AFTER_MS,
  );
  if (marks.length === 0 || (await isImporting(deps, marks[0]!, now))) {
    return hasShown || (waiting.length > 0 && FOUND_AFTER_MS);
  }
  await searchAgain(deps, marks.map(threadIdOf));
  await clearMarks(similarMarks, marks);
  return true;
}

/** Shows known lists anew where a thread in them changed. Resolves with true when it did so. */
export async function showMarked(
  deps: Pick<IndexerDeps, 'collections' | 'announcer'>,
): Promise<boolean> {
  const { similarMarks } = deps.collections;
  const marks = await dirtyMarks(similarMarks, 'shown', { limit: SHOWN });
  if (marks.length === 0) return false;
  await showSimilar(deps, marks.map(threadIdOf));
  await clearMarks(similarMarks, marks);
  return true;
}

/**
 * Shows known lists anew until none that was marked by then is left, however many there are. Throws when no fewer are
 * left after `patienceMs`.
 */
export async function showUntil(
  deps: Pick<IndexerDeps, 'collections' | 'announcer'>,
  by: Date,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const { similarMarks } = deps.collections;
  const marked = { kind: 'shown' as const, at: { $lte: by } };
  for (let before = Infinity; ;) {
    const left = await similarMarks.countDocuments(marked);
    if (left === 0) return;
    if (left >= before) throw new Error('Lists of similar threads have not come to be shown');
    before = left;
    const end = Date.now() + patienceMs;
    do await showMarked(deps);
    while (Date.now() < end && (await similarMarks.findOne(marked)));
  }
}

/** Looks for the threads similar to some, and shows what was found. */
export async function searchAgain(deps: IndexerDeps, threadIds: string[]): Promise<void> {
  const { counters, threadItems, similar } = deps.collections;
  const version = await nextVersion(counters);
  const listed = await threadItems
    .find({ _id: { $in: threadIds }, item: { $ne: '' } }, { projection: { serverId: 1, title: 1 } })
    .toArray();
  const found = await findSimilar(deps, listed);
  const lists = new Map(listed.map(({ _id }, n) => [_id, found[n]!]));
  const views = threadIds.map((_id) => ({ _id, version, similarTo: lists.get(_id) ?? [] }));
  await replaceNewer(similar, views, 'version');
  await showSimilar(deps, threadIds);
}

async function isImporting(
  { collections }: IndexerDeps,
  oldest: DirtyMark,
  now: Date,
): Promise<boolean> {
  if (now.getTime() - oldest.at.getTime() > LONGEST_WAIT_MS) return false;
  return (await collections.importFiles.findOne({ state: 'queued' })) !== null;
}

function threadIdOf({ _id }: DirtyMark): string {
  return _id.slice(_id.indexOf('/') + 1);
}
