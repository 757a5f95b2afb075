import { batches } from '../../shared/platform/batches.js';
import type { Mongo } from '../../shared/platform/clients.js';
import { failedMark, quarantineId } from '../../shared/store/quarantine.js';
import { markId, type Failure } from '../../shared/store/work.js';

/** What earlier versions kept in a collection of its own. */
type OldEntry = Omit<Failure, 'id'> & { _id: string };

/** Has the marks say what is quarantined, where an earlier version kept that in the collection `quarantine`. */
export async function moveQuarantine({
  db,
  collections: { work },
}: Pick<Mongo, 'db' | 'collections'>): Promise<void> {
  const old = db.collection<OldEntry>('quarantine');
  for await (const entries of batches(old.find())) await work.bulkWrite(entries.map(writeOf));
  await old.drop();
}

function writeOf({ _id: _oldId, ...entry }: OldEntry) {
  const { kind, subject } = entry;
  const failure = { ...entry, id: quarantineId(kind, subject) };
  if (kind === 'document' || kind === 'file') {
    const replacement = failedMark(kind, subject, failure);
    return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
  }
  // Whose mark is gone was done meanwhile.
  const _id = kind === 'thread' ? markId(kind, subject) : subject;
  return { updateOne: { filter: { _id }, update: { $set: { failure } } } };
}
