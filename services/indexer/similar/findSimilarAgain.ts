import type { Filter } from 'mongodb';
import { NEVER, type Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { nextVersion } from '../stores/nextVersion.js';
import { storeMade } from '../work/claims.js';
import { findSimilar } from './findSimilar.js';

/** The longest that searching waits (ms) while much is being changed. After the changes, there is more to be found. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** How long after a document was written (ms) a search finds it. */
const FOUND_AFTER_MS = 1_500;

/** The time at which a search finds a document that is written now. */
export function whenFound(): Date {
  return new Date(Date.now() + FOUND_AFTER_MS);
}

/** Looks again for the threads that are similar to each marked thread, and marks the lists that change (`shown`). */
export async function findSimilarAgain(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const { state, threadItems } = deps.collections;
  const version = await nextVersion(state);
  const threadIds = marks.map(({ subject }) => subject);
  const listed = await threadItems
    .find({ _id: { $in: threadIds } }, { projection: { serverId: 1, channelId: 1, title: 1 } })
    .toArray();
  const found = await findSimilar(deps, listed);
  const shown = new Set<string>(await threadItems.distinct('_id', { _id: { $in: found.flat() } }));
  // The index may hold threads that are not listed any more, or not yet.
  const lists = new Map(
    listed.map(({ _id }, n) => [_id, found[n]!.filter((other) => shown.has(other))]),
  );
  await storeMade(deps, marks, (documents, { subject: _id, causes }) => {
    const similarTo = lists.get(_id);
    if (similarTo) documents.put('similar', { _id, version, similarTo });
    else documents.remove('similar', _id);
    documents.mark('shown', _id, { causes });
  });
}

/** Whether the search for similar threads has to wait, because much is being changed. It does not wait too long. */
export async function waitForOthers({ collections }: IndexerDeps): Promise<boolean> {
  const { work, importFiles } = collections;
  const only = { projection: { _id: 1 } } as const;
  const before = new Date(Date.now() - LONGEST_WAIT_MS);
  const patient = { kind: 'similar' as const, at: { $lt: before }, due: { $lt: NEVER } };
  if (await work.findOne(patient, only)) return false;
  const others: Filter<Mark> = {
    due: { $ne: NEVER },
    $or: [
      { kind: { $in: ['thread', 'person', 'server'] } },
      // Somebody waits for these.
      { kind: { $ne: 'similar' }, causes: { $exists: true } },
    ],
  };
  return (
    ((await work.findOne(others, only)) ??
      (await importFiles.findOne({ state: 'queued' }, only))) !== null
  );
}
