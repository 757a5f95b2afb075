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

/**
 * Marks things as dirty; marking again what is being recomputed keeps the mark for another round. What follows from
 * other marks is as old as they are (`at`), so that whoever waits for those waits for it, too.
 */
export async function markDirty(
  dirty: Collection<DirtyMark>,
  ids: Iterable<string>,
  at = new Date(),
): Promise<void> {
  const token = randomUUID();
  const operations = [...new Set(ids)].map((_id) => ({
    updateOne: {
      filter: { _id },
      update: {
        $set: { kind: _id.split('/')[0] as DirtyMark['kind'], token },
        // A process whose clock is ahead may have set it: whoever waits for this mark must not overlook it.
        $min: { at },
      },
      upsert: true,
    },
  }));
  await writeAllGathered(dirty, operations);
}

/** The oldest marks of a kind, where told only those set by a time. */
export async function dirtyMarks(
  dirty: Collection<DirtyMark>,
  kind: DirtyMark['kind'],
  { limit, by }: { limit: number; by?: Date | undefined },
): Promise<DirtyMark[]> {
  const marked = { kind, ...(by && { at: { $lte: by } }) };
  return dirty.find(marked).sort({ at: 1 }).limit(limit).toArray();
}

/** When the latest of some marks was set. */
export function latestOf(marks: DirtyMark[]): Date {
  return new Date(Math.max(...marks.map(({ at }) => at.getTime())));
}

/** Takes away those marks that nobody has set again meanwhile. Returns how many: others may have taken some away. */
export async function clearMarks(
  dirty: Collection<DirtyMark>,
  marks: DirtyMark[],
): Promise<number> {
  if (marks.length === 0) return 0;
  const { deletedCount } = await dirty.bulkWrite(
    marks.map(({ _id, token }) => ({ deleteOne: { filter: { _id, token } } })),
    { ordered: false },
  );
  return deletedCount;
}
