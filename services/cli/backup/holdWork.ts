import type { Document } from 'mongodb';
import type { Mongo } from '../../../shared/platform/clients.js';
import type { ErasureRecord } from '../../../shared/store/erasureRecords.js';
import { NOT_YET } from '../../../shared/store/heldFile.js';
import { MOST_TRIES } from '../../../shared/store/work.js';
import type { KeptName } from './backupFormat.js';

/**
 * An indexer that runs during a restore would start work on half an archive. So records that name work are restored in
 * a form that it does not take up yet. Deletions are restored last, so they may be taken up. Threads lose their marks,
 * since all threads are built again. The mirror is not looked through until they are built.
 */
const HELD: Partial<Record<KeptName, (document: Document) => Document>> = {
  erasures: (erasure) => without(erasure, ['userId', 'names']),
  importFiles: (file) => (file['state'] === 'queued' ? { ...file, queuedAt: NOT_YET } : file),
  // What was quarantined is tried once more when it is built anew.
  work: (mark) => ({ ...mark, tries: MOST_TRIES - 1 }),
  // The mirror's files have no records before these are restored.
  state: (state) => (state['_id'] === 'mirror' ? { ...state, restoring: true } : state),
  deletions: (deletion) => ({ ...deletion, requestedAt: new Date() }),
};

/** A document as it may be restored while an indexer runs. */
export function heldForm(name: KeptName, document: Document): Document {
  return HELD[name]?.(document) ?? document;
}

/**
 * Lets the indexer take up the held work, as if it had just been asked for. `erasures` are those of the backup. To be
 * called only when everything else is restored.
 */
export async function releaseWork(
  { collections }: Mongo,
  erasures: AsyncIterable<Document>,
): Promise<void> {
  const now = new Date();
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
