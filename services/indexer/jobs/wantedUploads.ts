import type { Collections } from '../../../shared/store/collections.js';
import { markId } from '../../../shared/store/work.js';

/** Those of some uploads whose bytes are still needed: a file waits for them, or was quarantined for another try. */
export async function wantedUploads(
  { importFiles, work }: Pick<Collections, 'importFiles' | 'work'>,
  uploadIds: string[],
): Promise<Set<string>> {
  const only = { projection: { _id: 1 } } as const;
  const waiting = importFiles.find({ _id: { $in: uploadIds }, state: 'queued' }, only);
  const marks = uploadIds.map((id) => markId('file', id));
  const aside = work.find({ _id: { $in: marks } }, { projection: { subject: 1 } });
  return new Set([
    ...(await waiting.toArray()).map(({ _id }) => _id),
    ...(await aside.toArray()).map(({ subject }) => subject),
  ]);
}
