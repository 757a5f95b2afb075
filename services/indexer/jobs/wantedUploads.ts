import type { Collections } from '../../../shared/store/collections.js';
import { quarantineId } from '../../../shared/store/quarantine.js';

/** Those of some uploads whose bytes are still needed: a file waits for them, or was quarantined for another try. */
export async function wantedUploads(
  { importFiles, quarantine }: Pick<Collections, 'importFiles' | 'quarantine'>,
  uploadIds: string[],
): Promise<Set<string>> {
  const waiting = await importFiles
    .find({ _id: { $in: uploadIds }, state: 'queued' }, { projection: { _id: 1 } })
    .toArray();
  const aside = await quarantine
    .find(
      { _id: { $in: uploadIds.map((id) => quarantineId('file', id)) } },
      { projection: { subject: 1 } },
    )
    .toArray();
  return new Set([...waiting.map(({ _id }) => _id), ...aside.map(({ subject }) => subject)]);
}
