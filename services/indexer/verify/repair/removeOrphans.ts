import { removePieces } from '../../../../shared/store/pieces.js';
import { markId } from '../../../../shared/store/work.js';
import type { IndexerDeps } from '../../deps.js';
import { slices } from '../../records/slices.js';
import { neededUploads } from '../../stores/orphanPieces.js';
import type { Difference } from '../difference.js';
import { rebuildThreads } from './rebuildThreads.js';
import { searchSimilar } from './searchSimilar.js';

/**
 * Removes what is stored of threads that are not recorded. First these threads are built, which removes their views.
 * Then their similar threads are looked for, which removes their lists of these. Last their search documents are
 * removed.
 */
export async function removeOrphans(deps: IndexerDeps, found: Difference[]): Promise<void> {
  await rebuildThreads(deps, found);
  await searchSimilar(deps, found);
  await removeDocuments(deps, found);
}

/**
 * Removes search documents of threads that are not recorded. A document that somebody has written again meanwhile
 * stays.
 */
async function removeDocuments(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const gone = await unrecorded(deps, found);
  const operations = found.flatMap(({ id: threadId, clue: { index, documents = [] } = {} }) =>
    index === undefined || !gone.has(threadId)
      ? []
      : documents.map(({ id, version }) => ({
          delete: { _index: index, _id: id, version: version + 1, version_type: 'external' },
        })),
  );
  for (const some of slices(operations)) await deps.elasticsearch.bulk({ operations: some });
}

/** Resolves with the ids of the threads that are still not recorded. */
async function unrecorded({ collections }: IndexerDeps, found: Difference[]): Promise<Set<string>> {
  const ids = [...new Set(found.map(({ id }) => id))];
  const known = await collections.threads
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray();
  const recorded = new Set(known.map(({ _id }) => _id));
  return new Set(ids.filter((id) => !recorded.has(id)));
}

/** Removes pieces of large bodies that belong to no body, and pieces of uploads that no file needs now. */
export async function removeUnneeded(
  { collections }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  const owners = found.map(({ id }) => id);
  const needed = await neededUploads(collections, owners);
  const orphans = owners.filter((owner) => !needed.has(owner));
  await removePieces(collections, orphans);
}

/** Notes files whose bytes are lost as rejected, so that they can be imported again. */
export async function forgetUploads(
  { collections: { importFiles, work } }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  const ids = found.map(({ id }) => id);
  const reason = 'Its bytes were lost before it was imported: import it again';
  await importFiles.updateMany(
    { _id: { $in: ids }, state: 'queued' },
    { $set: { state: 'rejected', reason, finishedAt: new Date() } },
  );
  await work.deleteMany({ _id: { $in: ids.map((id) => markId('file', id)) } });
}
