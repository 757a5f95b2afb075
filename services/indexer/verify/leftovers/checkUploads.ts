import { batches } from '../../../../shared/platform/batches.js';
import { storedUploads } from '../../../../shared/store/uploads.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from '../mostListed.js';

/** Looks for files that wait to be imported although their bytes are missing. */
export async function checkUploads({ deps, tally }: AreaContext): Promise<Difference[]> {
  const missing: string[] = [];
  const waiting = deps.collections.importFiles
    .find({ state: 'queued' }, { projection: { _id: 1 } })
    .sort({ queuedAt: 1 });
  for await (const some of batches(waiting)) {
    tally('uploads', some.length);
    const ids = some.map(({ _id }) => _id);
    const stored = await storedUploads(deps.collections, ids);
    missing.push(...ids.filter((id) => !stored.has(id)));
    if (missing.length >= MOST_LISTED) break;
  }
  return missing.slice(0, MOST_LISTED).map((id): Difference => {
    return { kind: 'upload.missing', id, detail: 'Its bytes are not there', basis: '' };
  });
}
