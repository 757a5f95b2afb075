import type { QuarantineRecord } from '../../../shared/store/quarantine.js';
import { searchAlias, type SearchDocument } from '../../../shared/store/searchIndex.js';
import type { IndexerDeps } from '../deps.js';
import { MOST_TRIES } from '../work/runMarks.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace'>;

const BATCH = 500;

/**
 * Takes out of quarantine what has succeeded since: a document that is stored, or has given way to a newer one; a
 * thread that was built; a file that was imported. Returns how many.
 */
export async function releaseHealed(deps: Deps): Promise<number> {
  const { quarantine } = deps.collections;
  let lifted = 0;
  for (let last = ''; ;) {
    const records = await quarantine
      .find({ _id: { $gt: last } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    if (records.length === 0) return lifted;
    last = records.at(-1)!._id;
    const healed = await Promise.all([
      storedDocuments(deps, ofKind(records, 'document')),
      doneMarks(deps, ofKind(records, 'thread'), 'thread/'),
      doneMarks(deps, ofKind(records, 'work'), ''),
      importedFiles(deps, ofKind(records, 'file')),
    ]);
    for (const { _id, lastAt } of healed.flat()) {
      // One that has failed again meanwhile stays.
      lifted += (await quarantine.deleteOne({ _id, lastAt })).deletedCount;
    }
  }
}

function ofKind(records: QuarantineRecord[], kind: QuarantineRecord['kind']): QuarantineRecord[] {
  return records.filter((record) => record.kind === kind);
}

/** A tombstone of the refused revision itself only stands for what was refused. */
async function storedDocuments(
  { elasticsearch, namespace }: Deps,
  records: QuarantineRecord[],
): Promise<QuarantineRecord[]> {
  if (records.length === 0) return [];
  const { docs } = await elasticsearch.mget<Pick<SearchDocument, 'kind'>>({
    index: searchAlias(namespace),
    ids: records.map(({ subject }) => subject),
    _source: ['kind'],
  });
  return records.filter(({ revision }, n) => {
    const found = docs[n]!;
    const version = 'found' in found ? (found._version ?? 0) : 0;
    const kind = 'found' in found ? found._source?.kind : undefined;
    return version > revision || (version === revision && kind !== 'tombstone');
  });
}

/** Those whose marks are gone: what they asked for is done. */
async function doneMarks(
  { collections }: Deps,
  records: QuarantineRecord[],
  prefix: string,
): Promise<QuarantineRecord[]> {
  if (records.length === 0) return [];
  const ids = records.map(({ subject }) => prefix + subject);
  const left = await collections.work
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray();
  return without(
    records,
    left.map(({ _id }) => ({ _id: _id.slice(prefix.length) })),
  );
}

async function importedFiles(
  { collections }: Deps,
  records: QuarantineRecord[],
): Promise<QuarantineRecord[]> {
  if (records.length === 0) return [];
  const ids = records.map(({ subject }) => subject);
  const isAside = { state: 'rejected' as const, tries: { $gte: MOST_TRIES } };
  const failing = await collections.importFiles
    .find({ _id: { $in: ids }, $or: [{ state: 'queued' }, isAside] }, { projection: { _id: 1 } })
    .toArray();
  return without(records, failing);
}

function without(records: QuarantineRecord[], failing: { _id: string }[]): QuarantineRecord[] {
  const ids = new Set(failing.map(({ _id }) => _id));
  return records.filter(({ subject }) => !ids.has(subject));
}
