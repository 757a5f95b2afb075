import type { IndexerDeps } from '../deps.js';
import {
  clearMarks,
  dirtyMarks,
  dirtyMember,
  dirtyServer,
  latestOf,
  markDirty,
} from '../stores/dirtyMarks.js';

const BATCH = 500;

/**
 * Has everybody with a part in changed threads counted again, and their servers: a person in many of them once.
 * Returns how many threads it took.
 */
export async function refreshThreads({ collections }: IndexerDeps, by?: Date): Promise<number> {
  const marks = await dirtyMarks(collections.dirty, 'thread', { limit: BATCH, by });
  if (marks.length === 0) return 0;
  const places = marks.map(({ _id }) => _id.split('/'));
  const people = await collections.contributions
    .find({ threadId: { $in: places.map(([, , threadId = '']) => threadId) } })
    .project<{ serverId: string; userId: string }>({ _id: 0, serverId: 1, userId: 1 })
    .toArray();
  const affected = [
    ...places.map(([, serverId = '']) => dirtyServer(serverId)),
    ...people.map(({ serverId, userId }) => dirtyMember(serverId, userId)),
  ];
  await markDirty(collections.dirty, affected, latestOf(marks));
  await clearMarks(collections.dirty, marks);
  return marks.length;
}
