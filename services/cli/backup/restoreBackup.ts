import { join } from 'node:path';
import type { Collection, Document, ObjectId } from 'mongodb';
import type { Mongo } from '../../../shared/platform/clients.js';
import { announceErasure } from '../../../shared/store/erasures.js';
import { ensureIndexes } from '../../../shared/store/indexes.js';
import { beginRestore, endRecords, endRestore } from '../../../shared/store/restore.js';
import { replaceSearchIndex } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import { CliError } from '../cliError.js';
import { endingInOrder } from '../endingInOrder.js';
import { heldCollection, UNCOUNTED } from '../heldCollection.js';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { createProgress, type Progress } from '../progress.js';
import { backupFileName, KEPT, type KeptName, type Manifest } from './backupFormat.js';
import { createKeyRevoker } from './createKeyRevoker.js';
import { checkBackup } from './checkBackup.js';
import { readDocuments } from './readDocuments.js';
import { restoredForm } from './restoredForm.js';

/** What was restored. */
export interface Restored {
  manifest: Manifest;
  /** How many API keys worked when the backup was made, and are revoked now. */
  revokedKeys: number;
}

/**
 * Puts a backup's records into an empty archive, after every byte of it was checked. An indexer may run. It begins
 * nothing before all records are restored. This function leaves the search index empty, and does not build views.
 * Unless `keys` is set, API keys are restored as revoked. Throws CliError, and writes nothing, where the backup is
 * damaged, an indexer syncs into the archive, the archive holds something, or another restore has begun.
 */
export async function restoreBackup(
  { mongo, elasticsearch }: Pick<Archive, 'mongo' | 'elasticsearch'>,
  folder: string,
  { keys = false }: { keys?: boolean } = {},
): Promise<Restored> {
  const manifest = await checkBackup(folder);
  await requireEmpty(mongo);
  return endingInOrder(async (signal) => {
    await beginOnce({ mongo, elasticsearch }, signal);
    const { revoke, revoked } = createKeyRevoker();
    const formOf = (name: KeptName, document: Document): Document =>
      name === 'apiKeys' && !keys ? revoke(document) : restoredForm(name, document);
    await restoreAll(mongo, { folder, manifest, formOf }, signal);
    return { manifest, revokedKeys: revoked() };
  });
}

/** Notes that a restore has begun, and empties the search index. Where this fails, nothing is noted. */
async function beginOnce(
  { mongo, elasticsearch }: Pick<Archive, 'mongo' | 'elasticsearch'>,
  signal: AbortSignal,
): Promise<void> {
  const restore = await beginRestore(mongo.collections);
  if (restore === null) {
    throw new CliError(
      'Another restore of this archive goes on, or was cut off. Where none runs any more, drop the database and begin again',
    );
  }
  try {
    await requireNoSync(mongo);
    // The existing index may hold documents that were written after the backup. So an empty one replaces it. This
    // happens before any thread is restored. Otherwise an indexer that starts meanwhile could find threads but no
    // index, and would ask for a rebuild.
    await replaceSearchIndex(elasticsearch, mongo.namespace);
    await ensureIndexes(mongo.collections);
    // A file may have been imported meanwhile, or an erasure asked for, whose hash has another key than the backup's.
    await requireEmpty(mongo);
    signal.throwIfAborted();
  } catch (error) {
    await endRestore(mongo.collections, restore);
    throw error;
  }
}

/** Writes all records. Where this is cut off, it says what to do. */
async function restoreAll(mongo: Mongo, source: Source, signal: AbortSignal): Promise<void> {
  const { collections } = source.manifest;
  const total = KEPT.reduce((sum, name) => sum + collections[name].documents, 0);
  const progress = createProgress('Restore', total, (done) => counted(done, 'document'));
  try {
    for (const name of KEPT) {
      await restoreCollection(mongo, name, source, { progress, signal });
      // A process may have read who is erased when only the key was there.
      if (name === 'erasures') await announceErasure(mongo.collections);
    }
    await endRecords(mongo.collections);
  } catch (error) {
    progress.say('The restore is cut off: drop the database, and begin again');
    throw error;
  } finally {
    progress.stop();
  }
}

/** A backup that is being restored. */
interface Source {
  folder: string;
  manifest: Manifest;
  /** Makes the document that is stored from the one in the backup. */
  formOf: (name: KeptName, document: Document) => Document;
}

/**
 * An indexer with a bot token would fill the archive while it is restored, or has already done so. Where it syncs only
 * after a restore is noted, it begins nothing.
 */
async function requireNoSync({ collections: { state } }: Mongo): Promise<void> {
  const isHeld = { $gt: ['$until', '$$NOW'] };
  if (!(await stateOf(state, 'sync').findOne({ _id: 'sync', $expr: isHeld }))) return;
  throw new CliError(
    'An indexer syncs servers into this archive: start it without DISCORD_BOT_TOKEN, with an empty database, until the restore is done',
  );
}

async function requireEmpty(mongo: Mongo): Promise<void> {
  const name = await heldCollection(mongo);
  if (name === undefined) return;
  throw new CliError(
    `The archive is not empty: ${mongo.namespace} holds ${name}. Restore into another database, or drop this one first, also when an earlier restore was cut off`,
  );
}

async function restoreCollection(
  { db }: Mongo,
  name: KeptName,
  { folder, formOf }: Source,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<void> {
  const collection = db.collection(name);
  for await (const batch of readDocuments(join(folder, backupFileName(name)))) {
    signal.throwIfAborted();
    const held = batch.map((document) => formOf(name, document));
    await (UNCOUNTED.has(name) ? putOver(collection, held) : insertNew(collection, held));
    progress.advance(batch.length);
  }
}

async function insertNew(collection: Collection, batch: Document[]): Promise<void> {
  await collection.insertMany(batch, { ordered: false });
}

/** Replaces documents that an empty archive may hold, such as the audit entry of this restore. */
async function putOver(collection: Collection, batch: Document[]): Promise<void> {
  const writes = batch.map((document) => ({
    replaceOne: {
      filter: { _id: document['_id'] as ObjectId },
      replacement: document,
      upsert: true,
    },
  }));
  await collection.bulkWrite(writes, { ordered: false });
}
