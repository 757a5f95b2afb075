import type { Document } from 'mongodb';
import type { Mongo } from '../../../shared/platform/clients.js';
import type { ErasureRecord } from '../../../shared/store/erasureRecords.js';
import { NOT_YET } from '../../../shared/store/heldFile.js';
import { stateOf } from '../../../shared/store/state.js';
import { MOST_TRIES } from '../../../shared/store/work.js';
import type { KeptName } from './backupFormat.js';

/**
 * For each collection, the form in which its documents are restored. An indexer that runs during a restore would start
 * work on half of an archive. So documents that name work are restored in a form that it does not take up yet.
 * Deletions are restored last, so they may be taken up. Marks of threads are not restored, because all threads are
 * built again. The files of the mirror are not checked until then.
 */
const HELD: Partial<Record<KeptName, (document: Document) => Document>> = {
  erasures: (erasure) => without(erasure, ['userId', 'names']),
  importFiles: (file) => (file['state'] === 'queued' ? { ...file, queuedAt: NOT_YET } : file),
  // A quarantined mark gets one more try when its subject is built again.
  work: (mark) => ({ ...mark, tries: MOST_TRIES - 1 }),
  state: heldState,
  deletions: (deletion) => ({ ...deletion, requestedAt: new Date() }),
};

/** The form in which a document is restored, so that a running indexer does not take up its work. */
export function heldForm(name: KeptName, document: Document): Document {
  return HELD[name]?.(document) ?? document;
}

function heldState(state: Document): Document {
  const { _id } = state;
  // Until the records of the mirror's files are restored, its files seem to belong to nothing. Afterwards all of it is
  // checked, as after a change of its settings. When the backup was made, a copy may have waited to be removed, and the
  // mark that told so is not restored.
  if (_id === 'mirror') return { ...without(state, ['settings']), restoring: 'records' };
  // A running process remembers who is erased and who is left out, with this version. It may have served another
  // archive before, whose version was the same.
  if (_id === 'erasures' || _id === 'optOuts') return { ...state, version: unknownVersion(state) };
  return state;
}

/** A version that no process can know. It is later than all that the backup holds. */
function unknownVersion({ version }: Document): number {
  return Math.max(Date.now(), Number(version) + 1);
}

/**
 * Lets the indexer take up the held work, as if it had just been requested. It must be called only when everything else
 * is restored. `erasures` are those of the backup.
 */
export async function releaseWork(
  { collections }: Mongo,
  erasures: AsyncIterable<Document>,
): Promise<void> {
  const now = new Date();
  const mirror = stateOf(collections.state, 'mirror');
  await mirror.updateOne({ _id: 'mirror' }, { $set: { restoring: true } });
  const held = { state: 'queued' as const, queuedAt: NOT_YET };
  await collections.importFiles.updateMany(held, { $set: { queuedAt: now } });
  for await (const erasure of erasures) {
    const { _id, userId, names } = erasure as ErasureRecord;
    if (userId === undefined) continue;
    const asked = { userId, ...(names && { names }), requestedAt: now };
    await collections.erasures.updateOne({ _id }, { $set: asked });
  }
}

function without(document: Document, names: string[]): Document {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));
}
