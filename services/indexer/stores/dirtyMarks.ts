import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { writeAllGathered } from '../../../shared/store/gather.js';
import type { DirtyMark } from '../../../shared/store/views.js';

/** The names of what must be recomputed. */
export const dirtyThread = (serverId: string, threadId: string): string =>
  `thread/${serverId}/${threadId}`;
export const dirtyServer = (serverId: string): string => `server/${serverId}`;
export const dirtyMember = (serverId: string, userId: string): string =>
  `member/${serverId}/${userId}`;
export const dirtyUser = (userId: string): string => `user/${userId}`;

/** Marks things as dirty; marking again what is being recomputed keeps the mark for another round. */
export async function markDirty(
  dirty: Collection<DirtyMark>,
  ids: Iterable<string>,
): Promise<void> {
  const token = randomUUID();
  const operations = [...new Set(ids)].map((_id) => ({
    updateOne: {
      filter: { _id },
      update: {
        $set: { kind: _id.split('/')[0] as DirtyMark['kind'], token },
        // A process whose clock is ahead may have set it: whoever waits for this mark must not overlook it.
        $min: { at: new Date() },
      },
      upsert: true,
    },
  }));
  await writeAllGathered(dirty, operations);
}

/** The oldest marks of a kind. */
export async function dirtyMarks(
  dirty: Collection<DirtyMark>,
  kind: DirtyMark['kind'],
  limit: number,
): Promise<DirtyMark[]> {
  return dirty.find({ kind }).sort({ at: 1 }).limit(limit).toArray();
}

/** Takes away those marks that nobody has set again meanwhile. */
export async function clearMarks(dirty: Collection<DirtyMark>, marks: DirtyMark[]): Promise<void> {
  if (marks.length === 0) return;
  await dirty.bulkWrite(
    marks.map(({ _id, token }) => ({ deleteOne: { filter: { _id, token } } })),
    { ordered: false },
  );
}
