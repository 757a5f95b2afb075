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

/** Removes everything that is stored of threads that are not recorded, and has those counted again who had a part. */
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
    // One that was imported meanwhile may have been built by then.
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

/** Removes documents of threads that are not recorded, unless somebody writes them meanwhile. */
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

/** Those of some threads that are still not recorded. */
async function unrecorded({ collections }: IndexerDeps, found: Difference[]): Promise<Set<string>> {
  const ids = [...new Set(found.map(({ id }) => id))];
  const known = await collections.threads
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray();
  const recorded = new Set(known.map(({ _id }) => _id));
  return new Set(ids.filter((id) => !recorded.has(id)));
}

/** Removes pieces of large bodies that belong to none, and of uploads that nobody waits for, not even by now. */
export async function removeUnneeded(
  { collections }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  const owners = found.map(({ id }) => id);
  const needed = await neededUploads(collections, owners);
  const orphans = owners.filter((owner) => !needed.has(owner));
  await removePieces(collections, orphans);
}

/** Says of files whose bytes are gone that they were not imported. */
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
