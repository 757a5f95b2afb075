import { batches } from '../../../../shared/platform/batches.js';
import { wantedUploads } from '../../project/wantedUploads.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from './mostListed.js';

/** Uploads that nobody waits for are removed after a day; these should have been. */
const AFTER_MS = 25 * 60 * 60_000;

/** Stored uploads against the files that wait to be imported, or are set aside. */
export async function checkUploads(context: AreaContext): Promise<Difference[]> {
  const missing = await missingUploads(context);
  const left = await unwantedUploads(context);
  return [
    ...missing.map((id): Difference => {
      return { kind: 'upload.missing', id, detail: 'Its bytes are not there', basis: '' };
    }),
    ...left.map((id): Difference => {
      return { kind: 'piece.orphan', id, detail: 'No file waits for it', basis: '' };
    }),
  ];
}

async function missingUploads({ deps, tally }: AreaContext): Promise<string[]> {
  const { importFiles, uploadChunks } = deps.collections;
  const missing: string[] = [];
  const waiting = importFiles
    .find({ state: 'queued' }, { projection: { _id: 1 } })
    .sort({ queuedAt: 1 });
  for await (const some of batches(waiting)) {
    tally('uploads', some.length);
    const first = some.map(({ _id }) => `${_id}/0`);
    const stored: string[] = await uploadChunks.distinct('_id', { _id: { $in: first } });
    const known = new Set(stored);
    missing.push(...some.flatMap(({ _id }) => (known.has(`${_id}/0`) ? [] : [_id])));
    if (missing.length >= MOST_LISTED) break;
  }
  return missing.slice(0, MOST_LISTED);
}

async function unwantedUploads({ deps: { collections } }: AreaContext): Promise<string[]> {
  const left: string[] = [];
  for await (const some of batches(oldUploads(collections))) {
    const wanted = await wantedUploads(collections, some);
    left.push(...some.filter((id) => !wanted.has(id)));
    if (left.length >= MOST_LISTED) break;
  }
  return left.slice(0, MOST_LISTED);
}

async function* oldUploads({
  uploadChunks,
}: AreaContext['deps']['collections']): AsyncGenerator<string> {
  // An upload's id begins with the second it was made in.
  const seconds = Math.floor((Date.now() - AFTER_MS) / 1000);
  const before = Math.max(0, seconds).toString(16).padStart(8, '0');
  const pieces = uploadChunks
    .find({ _id: { $lt: before } }, { projection: { _id: 1 } })
    .sort({ _id: 1 });
  let last = '';
  for await (const { _id } of pieces) {
    const upload = _id.split('/')[0]!;
    if (upload !== last) yield upload;
    last = upload;
  }
}
