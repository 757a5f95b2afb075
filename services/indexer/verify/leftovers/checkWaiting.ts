import { NEVER } from '../../../../shared/store/work.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from './mostListed.js';

/** Requests that are older than this (ms) should have been carried out long ago, or their jobs filed again. */
const LATE_MS = 60 * 60_000;

/**
 * Looks for deletions and erasures that were promised and are not carried out. Also looks for files that wait while no
 * file at all is imported. While files are imported, the files of a large import wait for each other.
 */
export async function checkWaiting({ deps }: AreaContext): Promise<Difference[]> {
  const { deletions, erasures } = deps.collections;
  const before = new Date(Date.now() - LATE_MS);
  const late = { requestedAt: { $lt: before } };
  const asked = [
    ...(await deletions.find(late).limit(MOST_LISTED).toArray()),
    ...(await erasures
      .find({ ...late, userId: { $exists: true } }, { projection: { requestedAt: 1 } })
      .limit(MOST_LISTED)
      .toArray()),
  ];
  const files = await lateFiles(deps, before);
  return [
    ...asked.map(({ _id, requestedAt }) => waiting(_id, requestedAt)),
    ...files.map(({ _id, queuedAt }) => waiting(_id, queuedAt)),
  ];
}

async function lateFiles(
  { collections: { importFiles, work } }: AreaContext['deps'],
  before: Date,
) {
  const files = await importFiles
    .find({ state: 'queued', queuedAt: { $lt: before } }, { projection: { queuedAt: 1 } })
    .limit(MOST_LISTED)
    .toArray();
  if (files.length === 0) return [];
  const isMoving =
    (await work.findOne({ kind: 'file', due: { $gt: new Date(), $lt: NEVER } })) ??
    (await importFiles.findOne({ finishedAt: { $gte: before } }));
  return isMoving ? [] : files;
}

function waiting(id: string, since: Date): Difference {
  const basis = since.toISOString();
  return { kind: 'work.waiting', id, detail: `Asked for ${basis}`, basis };
}
