import { forEachAtOnce } from '../../../../shared/platform/forEachAtOnce.js';
import type { IndexerDeps } from '../../deps.js';
import { nextVersion } from '../../stores/nextVersion.js';
import { slices } from '../../records/slices.js';
import type { Difference } from '../difference.js';
import { rebuildThreads } from './rebuildThreads.js';

/** The documents of so many threads are replaced at the same time, so that they go into the same requests. */
const MOST_AT_ONCE = 8;

/**
 * Writes tombstones over the documents that were found, so that a late write does not bring them back. A document whose
 * id is not one of a thread or message is deleted. Then the threads are built again, with all their documents and higher
 * versions. So are the threads in which the messages are recorded by then. So a document comes back if its message was
 * recorded after the verification looked, in whatever thread.
 */
export async function removeGhosts(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const removed: string[] = [];
  await forEachAtOnce(found, MOST_AT_ONCE, async (difference) => {
    removed.push(...(await removeDocuments(deps, difference)));
  });
  const recorded: string[] = [];
  for (const ids of slices(removed)) {
    recorded.push(...(await deps.collections.messages.distinct('threadId', { _id: { $in: ids } })));
  }
  await rebuildThreads(deps, [...found, ...recorded.map((id) => ({ id }))]);
}

/** Removes the documents of one difference. Resolves with the ids of the threads and messages that they were about. */
async function removeDocuments(deps: IndexerDeps, difference: Difference): Promise<string[]> {
  const removed = { thread: [] as string[], message: [] as string[] };
  for (const id of await unchanged(deps, difference)) {
    const [, kind, own] = /^(thread|message)-(.+)$/s.exec(id) ?? [];
    if (own !== undefined) removed[kind as 'thread' | 'message'].push(own);
    else await deps.elasticsearch.delete({ index: difference.clue?.index ?? '', id });
  }
  const version = await nextVersion(deps.collections.state);
  await Promise.all(
    (['thread', 'message'] as const).map((kind) =>
      deps.search.remove(kind, removed[kind], difference.id, version),
    ),
  );
  return [...removed.thread, ...removed.message];
}

/**
 * Resolves with the ids of a difference's documents that are still as they were found. A message that has moved to
 * another thread was written again meanwhile.
 */
async function unchanged({ elasticsearch }: IndexerDeps, { clue }: Difference): Promise<string[]> {
  const { index = '', documents = [] } = clue ?? {};
  const { docs } = await elasticsearch.mget({
    index,
    _source: false,
    ids: documents.map(({ id }) => id),
  });
  return documents.flatMap(({ id, version }, n) => {
    const now = docs[n];
    return now && '_version' in now && now._version === version ? [id] : [];
  });
}
