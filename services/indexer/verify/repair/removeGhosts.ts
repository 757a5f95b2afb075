import type { IndexerDeps } from '../../deps.js';
import { nextVersion } from '../../stores/nextVersion.js';
import { slices } from '../../records/slices.js';
import type { Difference } from '../difference.js';
import { rebuildThreads } from './rebuildThreads.js';

/**
 * Writes tombstones over the documents that were found, so that a late write does not bring them back. A document whose
 * id is not one of a thread or message is deleted. Then the threads are built again, with all their documents and higher
 * versions. So are the threads in which the messages are recorded by then. So a document comes back if its message was
 * recorded after the verification looked, in whatever thread.
 */
export async function removeGhosts(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const removed: string[] = [];
  for (const difference of found) {
    const thread = await deps.collections.threads.findOne({ _id: difference.id });
    const ids = await unchanged(deps, difference);
    for (const id of thread ? ids : []) {
      const [, kind, own] = /^(thread|message)-(.+)$/s.exec(id) ?? [];
      if (own === undefined) {
        await deps.elasticsearch.delete({ index: difference.clue?.index ?? '', id });
      } else {
        removed.push(own);
        await deps.search.remove(
          kind as 'thread' | 'message',
          [own],
          thread!._id,
          await nextVersion(deps.collections.state),
        );
      }
    }
  }
  const recorded: string[] = [];
  for (const ids of slices(removed)) {
    recorded.push(...(await deps.collections.messages.distinct('threadId', { _id: { $in: ids } })));
  }
  await rebuildThreads(deps, [...found, ...recorded.map((id) => ({ id }))]);
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
