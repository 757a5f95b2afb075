import { bodyNames } from '../../../../shared/store/bodyKinds.js';
import { bodyOwners, removePieces } from '../../../../shared/store/pieces.js';
import { markId } from '../../../../shared/store/work.js';
import { setMarks } from '../../work/claims.js';
import type { IndexerDeps } from '../../deps.js';
import { neededUploads } from '../../stores/orphanPieces.js';
import { REPAIR } from './cause.js';
import type { Difference } from '../difference.js';

/** Removes views and search documents of threads that are not recorded. */
export async function removeOrphans(deps: IndexerDeps, found: Difference[]): Promise<void> {
  await removeViews(deps, found);
  await removeDocuments(deps, found);
}

/**
 * Removes the views of threads that are not recorded. Marks the threads, their servers, and the people who had a part
 * in them, so that they are built or counted again.
 */
export async function removeViews(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { bodies, threadItems, contributions, similar } = deps.collections;
  for (const threadId of await unrecorded(deps, found)) {
    const names = bodyNames('thread', threadId);
    const parts = await contributions.find({ threadId }).toArray();
    const item = await threadItems.findOne({ _id: threadId });
    await bodies.deleteMany({ _id: { $in: names } });
    await removePieces(deps.collections, names.map(bodyOwners));
    await threadItems.deleteOne({ _id: threadId });
    await contributions.deleteMany({ threadId });
    await similar.deleteOne({ _id: threadId });
    // The thread may have been imported meanwhile. What was built of it may then have been removed here, so it is built
    // again.
    await setMarks(deps, 'thread', [threadId], REPAIR);
    await setMarks(deps, 'server', item ? [item.serverId] : [], REPAIR);
    await setMarks(
      deps,
      'person',
      parts.map(({ userId }) => userId),
      REPAIR,
    );
  }
}

/**
 * Removes search documents of threads that are not recorded. A document that somebody has written again meanwhile
 * stays.
 */
async function removeDocuments(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const gone = await unrecorded(deps, found);
  for (const { id: threadId, clue } of found) {
    const { index, documents = [] } = clue ?? {};
    if (!index || !gone.has(threadId)) continue;
    await deps.elasticsearch.bulk({
      operations: documents.map(({ id, version }) => ({
        delete: { _index: index, _id: id, version: version + 1, version_type: 'external' },
      })),
    });
  }
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
