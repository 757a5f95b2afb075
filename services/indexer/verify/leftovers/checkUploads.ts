import { wantedUploads } from '../../project/wantedUploads.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';

/** Uploads that nobody waits for are removed after a day; these should have been. */
const AFTER_MS = 25 * 60 * 60_000;
const BATCH = 500;

/** Stored uploads against the files that wait to be imported, or are set aside. */
export async function checkUploads({ deps, tally }: AreaContext): Promise<Difference[]> {
  const { importFiles, uploadChunks } = deps.collections;
  const waiting = await importFiles.find({ state: 'queued' }, { projection: { _id: 1 } }).toArray();
  const ids = new Set(waiting.map(({ _id }) => _id));
  tally('uploads', ids.size);
  const stored = await uploadsOf([...ids], uploadChunks);
  const missing = [...ids].filter((id) => !stored.has(id));
  // An upload's id begins with the second it was made in.
  const seconds = Math.floor((Date.now() - AFTER_MS) / 1000);
  const old = uploadChunks.find(
    { _id: { $lt: Math.max(0, seconds).toString(16).padStart(8, '0') } },
    { projection: { _id: 1 } },
  );
  const left = new Set<string>();
  for await (const { _id } of old) {
    const upload = _id.split('/')[0]!;
    if (!ids.has(upload)) left.add(upload);
  }
  for (const some of inParts([...left])) {
    for (const id of await wantedUploads(deps.collections, some)) left.delete(id);
  }
  return [
    ...missing.map((id): Difference => {
      return { kind: 'upload.missing', id, detail: 'Its bytes are not there', basis: '' };
    }),
    ...[...left].map((id): Difference => {
      return { kind: 'leftover.upload', id, detail: 'No file waits for it', basis: '' };
    }),
  ];
}

async function uploadsOf(
  ids: string[],
  uploadChunks: AreaContext['deps']['collections']['uploadChunks'],
): Promise<Set<string>> {
  const stored = new Set<string>();
  for (const some of inParts(ids)) {
    const first = some.map((id) => `${id}/0`);
    const found = uploadChunks.find({ _id: { $in: first } }, { projection: { _id: 1 } });
    for await (const { _id } of found) stored.add(_id.split('/')[0]!);
  }
  return stored;
}

function inParts(ids: string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, n) =>
    ids.slice(n * BATCH, (n + 1) * BATCH),
  );
}
