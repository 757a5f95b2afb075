import type { Producer } from '../../../shared/jobs/producer.js';
import { refileLost, type WaitingWork } from '../../../shared/jobs/refileLost.js';
import type { Collections } from '../../../shared/store/collections.js';
import { deleteUpload } from '../../../shared/store/uploads.js';
import { wantedUploads } from './wantedUploads.js';

const BATCH = 200;
const DAY_MS = 86_400_000;

/** Files again what waits as soon as the queue holds no job at all: then nothing that waits can have one. */
export async function refileWhenIdle(
  records: WaitingWork,
  producer: Pick<Producer, 'add' | 'counts'>,
  olderThanMs: number,
): Promise<number> {
  const { waiting, active, delayed } = await producer.counts();
  return waiting + active + delayed > 0 ? 0 : refileLost(records, producer, olderThanMs);
}

/** Removes pieces of uploads older than a day that no file waiting or set aside names: whoever stored them was cut off. */
export async function removeOrphans(
  records: Pick<Collections, 'importFiles' | 'uploadChunks' | 'quarantine'>,
  now = new Date(),
): Promise<number> {
  const { uploadChunks } = records;
  // An upload's id begins with the second it was made in.
  const seconds = Math.floor((now.getTime() - DAY_MS) / 1_000);
  const limit = Math.max(0, seconds).toString(16).padStart(8, '0');
  let removed = 0;
  for (let from = ''; ;) {
    const pieces = await uploadChunks
      .find({ _id: { $gte: from, $lt: limit } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    if (pieces.length === 0) return removed;
    const uploads = [...new Set(pieces.map(({ _id }) => _id.split('/')[0]!))];
    const wanted = await wantedUploads(records, uploads);
    const orphans = uploads.filter((id) => !wanted.has(id));
    for (const id of orphans) await deleteUpload({ uploadChunks }, id);
    removed += orphans.length;
    // The first text after all pieces of the last upload.
    from = `${uploads.at(-1)}0`;
  }
}
