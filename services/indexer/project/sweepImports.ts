import { addDeletion } from '../../../shared/jobs/fileDeletion.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import type { Collections } from '../../../shared/store/collections.js';
import { quarantineId } from '../../../shared/store/quarantine.js';
import { deleteUpload } from '../../../shared/store/uploads.js';

type Waiting = Pick<Collections, 'importFiles' | 'deletions' | 'erasures' | 'searchGenerations'>;

const BATCH = 200;
const DAY_MS = 86_400_000;

/**
 * Files again what waits for a job that may be lost, because Redis was emptied: files, deletions, erasures and a rebuild
 * asked for longer ago than `olderThanMs`. Where the job is still known, filing it again changes nothing.
 */
export async function refileLost(
  { importFiles, deletions, erasures, searchGenerations }: Waiting,
  producer: Pick<Producer, 'add'>,
  olderThanMs: number,
): Promise<number> {
  const before = new Date(Date.now() - olderThanMs);
  const files = await importFiles
    .find({ state: 'queued', queuedAt: { $lte: before } })
    .sort({ queuedAt: 1 })
    .limit(BATCH)
    .toArray();
  for (const { _id, importId } of files)
    await producer.add('import-file', { uploadId: _id, importId });
  const requested = await deletions
    .find({ requestedAt: { $lte: before } })
    .limit(BATCH)
    .toArray();
  for (const deletion of requested) await addDeletion(producer, deletion);
  const waiting = { userId: { $exists: true }, requestedAt: { $lte: before } };
  const asked = await erasures
    .find(waiting, { projection: { _id: 1 } })
    .limit(BATCH)
    .toArray();
  for (const { _id } of asked) await producer.add('erase-user', { erasureId: _id });
  const unfinished = { $in: ['queued', 'running'] as ('queued' | 'running')[] };
  const generations = await searchGenerations.findOne({
    'rebuild.state': unfinished,
    'rebuild.beatAt': { $lte: before },
  });
  const rebuildId = generations?.rebuild?.id;
  if (rebuildId) await producer.add('reindex-search', { rebuildId });
  return files.length + requested.length + asked.length + (rebuildId ? 1 : 0);
}

/** The same as soon as the queue holds no job at all: then nothing that waits can have one. */
export async function refileWhenIdle(
  records: Waiting,
  producer: Pick<Producer, 'add' | 'counts'>,
  olderThanMs: number,
): Promise<number> {
  const { waiting, active, delayed } = await producer.counts();
  return waiting + active + delayed > 0 ? 0 : refileLost(records, producer, olderThanMs);
}

/** Removes pieces of uploads older than a day that no file waiting or set aside names: whoever stored them was cut off. */
export async function removeOrphans(
  {
    importFiles,
    uploadChunks,
    quarantine,
  }: Pick<Collections, 'importFiles' | 'uploadChunks' | 'quarantine'>,
  now = new Date(),
): Promise<number> {
  // An upload's id begins with the second it was made in.
  const seconds = Math.floor((now.getTime() - DAY_MS) / 1_000);
  const limit = Math.max(0, seconds).toString(16).padStart(8, '0');
  const pieces = await uploadChunks
    .find({ _id: { $lt: limit } }, { projection: { _id: 1 } })
    .limit(BATCH)
    .toArray();
  const uploads = [...new Set(pieces.map(({ _id }) => _id.split('/')[0]!))];
  const waiting = await importFiles
    .find({ _id: { $in: uploads }, state: 'queued' }, { projection: { _id: 1 } })
    .toArray();
  const aside = await quarantine
    .find({ _id: { $in: uploads.map((id) => quarantineId('file', id)) } })
    .toArray();
  const wanted = new Set([
    ...waiting.map(({ _id }) => _id),
    ...aside.map(({ subject }) => subject),
  ]);
  const orphans = uploads.filter((id) => !wanted.has(id));
  for (const id of orphans) await deleteUpload({ uploadChunks }, id);
  return orphans.length;
}
