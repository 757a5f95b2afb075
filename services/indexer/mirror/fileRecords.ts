import { fileRecordId, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { MirrorState } from '../../../shared/store/state.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { isHeld, readsOf } from '../work/claims.js';
import type { Documents } from '../work/change.js';
import type { WantedFile } from './wantedFiles.js';

const STATE_ID = 'mirror';
/** The totals of a mirror that holds nothing. */
export const EMPTY: MirrorState = { _id: STATE_ID, files: 0, bytes: 0, failed: 0 };

/** The first record of a file. */
export function newRecord({ name, source }: WantedFile, of: string): SyncFile {
  return { _id: fileRecordId(name), kind: 'file', of, source };
}

/**
 * Changes records of files and the mirror's totals in one transaction, while the claim of a mark is held. `change` is
 * called for each id with the stored record, or null where there is none, and with the totals so far. It returns the
 * record to store, null to remove the record, or undefined to leave it. Resolves with the changed records as they were
 * before, by id; or with null when the claim is lost, and then nothing is changed.
 */
export async function changeRecords(
  { commit }: Pick<IndexerDeps, 'commit'>,
  mark: Mark,
  ids: readonly string[],
  change: (now: SyncFile | null, totals: MirrorState) => SyncFile | null | undefined,
): Promise<Map<string, SyncFile | null> | null> {
  return commit({
    reads: { ...readsOf([mark]), sync: ids, state: [STATE_ID] },
    decide(documents) {
      if (!isHeld(documents, mark)) return null;
      const changed = new Map<string, SyncFile | null>();
      for (const id of ids) {
        const now = documents.get('sync', id) as SyncFile | null;
        const next = change(now, totalsOf(documents));
        if (next === undefined) continue;
        changed.set(id, now);
        putRecord(documents, id, now, next);
      }
      return changed;
    },
  });
}

function totalsOf(documents: Documents): MirrorState {
  return (documents.get('state', STATE_ID) as MirrorState | null) ?? EMPTY;
}

function putRecord(
  documents: Documents,
  id: string,
  now: SyncFile | null,
  next: SyncFile | null,
): void {
  if (next) documents.put('sync', next);
  else documents.remove('sync', id);
  const before = countsOf(now);
  const after = countsOf(next);
  const totals = totalsOf(documents);
  documents.put('state', {
    ...totals,
    files: totals.files + after.files - before.files,
    bytes: totals.bytes + after.bytes - before.bytes,
    failed: totals.failed + after.failed - before.failed,
  });
}

/** What a record adds to the totals. A copy that is being removed counts until it is gone. */
function countsOf(record: SyncFile | null): Pick<MirrorState, 'files' | 'bytes' | 'failed'> {
  const { copy, problem } = record ?? {};
  return { files: copy ? 1 : 0, bytes: copy?.bytes ?? 0, failed: problem === undefined ? 0 : 1 };
}
