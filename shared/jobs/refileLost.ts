import type { Collections } from '../store/collections.js';
import { silentFor } from '../store/searchGenerations.js';
import { stateOf } from '../store/state.js';
import { deletionJob } from './fileDeletion.js';
import type { Producer } from './producer.js';

/** The collections that record requested work until it is done. */
export type WaitingWork = Pick<Collections, 'importFiles' | 'deletions' | 'erasures' | 'state'>;

/** How many jobs of each kind are filed again at once. What is left has its turn later. */
const BATCH = 200;
/** A time that is further ahead than this (ms) was told by a clock that was ahead. Clocks always differ a little. */
const FUTURE_MS = 2 * 60_000;

/**
 * Files jobs again that may be lost because Redis was emptied: those of files, deletions, erasures and a rebuild that
 * were asked for longer ago than `olderThanMs`, or at a time that is yet to come. Nothing is filed where the job still
 * waits or runs. Files at most `most` jobs of each kind; 0 is no limit, as in MongoDB. Returns how many such requests it
 * found, whether or not their jobs were lost.
 */
export async function refileLost(
  { importFiles, deletions, erasures, state }: WaitingWork,
  producer: Pick<Producer, 'refile'>,
  olderThanMs: number,
  most = BATCH,
): Promise<number> {
  const before = new Date(Date.now() - olderThanMs);
  const ahead = new Date(Date.now() + FUTURE_MS);
  const [isOld, isWrong] = [{ $lte: before }, { $gt: ahead }];
  const files = await importFiles
    .find(
      { state: 'queued', $or: [{ queuedAt: isOld }, { queuedAt: isWrong }] },
      { projection: { importId: 1 } },
    )
    .sort({ queuedAt: 1 })
    .limit(most)
    .toArray();
  for (const { _id, importId } of files)
    await producer.refile('import-file', { uploadId: _id, importId });
  const requested = await deletions
    .find({ $or: [{ requestedAt: isOld }, { requestedAt: isWrong }] })
    .limit(most)
    .toArray();
  for (const { kind, subject } of requested) {
    const job = deletionJob(kind, subject);
    await producer.refile(job.name, job.payload);
  }
  const waiting = {
    userId: { $exists: true },
    $or: [{ requestedAt: isOld }, { requestedAt: isWrong }],
  };
  const asked = await erasures
    .find(waiting, { projection: { _id: 1 } })
    .limit(most)
    .toArray();
  for (const { _id } of asked) await producer.refile('erase-user', { erasureId: _id });
  const unfinished = { $in: ['queued', 'running'] as ('queued' | 'running')[] };
  const generations = await stateOf(state, 'search').findOne({
    'rebuild.state': unfinished,
    ...silentFor(olderThanMs),
  });
  const rebuildId = generations?.rebuild?.id;
  if (rebuildId) await producer.refile('reindex-search', { rebuildId });
  return files.length + requested.length + asked.length + (rebuildId ? 1 : 0);
}
