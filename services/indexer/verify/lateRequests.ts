import type { Collections } from '../../../shared/store/collections.js';
import { NEVER } from '../../../shared/store/work.js';
import { MOST_LISTED } from './mostListed.js';

/** Requests that are older than this (ms) should have been carried out long ago, or their jobs filed again. */
const LATE_MS = 60 * 60_000;

/** A deletion, an erasure or a file that was asked for and is not done. */
export interface LateRequest {
  id: string;
  since: Date;
}

type Requests = Pick<Collections, 'deletions' | 'erasures' | 'importFiles' | 'work'>;

/**
 * Lists deletions and erasures that were asked for long ago and are not carried out, and files that wait while no file
 * at all is imported. While files are imported, the files of a large import wait for each other.
 */
export async function lateRequests(collections: Requests): Promise<LateRequest[]> {
  const { deletions, erasures } = collections;
  const before = new Date(Date.now() - LATE_MS);
  const late = { requestedAt: { $lt: before } };
  const projection = { requestedAt: 1 };
  const asked = [
    ...(await deletions.find(late, { projection }).limit(MOST_LISTED).toArray()),
    ...(await erasures
      .find({ ...late, userId: { $exists: true } }, { projection })
      .limit(MOST_LISTED)
      .toArray()),
  ];
  const files = await lateFiles(collections, before);
  return [
    ...asked.map(({ _id, requestedAt }) => ({ id: _id, since: requestedAt })),
    ...files.map(({ _id, queuedAt }) => ({ id: _id, since: queuedAt })),
  ];
}

async function lateFiles({ importFiles, work }: Requests, before: Date) {
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
