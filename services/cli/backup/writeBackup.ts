import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, createGzip } from 'node:zlib';
import { MongoServerError, type ClientSession } from 'mongodb';
import type { Mongo } from '../../../shared/platform/clients.js';
import { CliError } from '../cliError.js';
import { endingInOrder } from '../endingInOrder.js';
import { counted } from '../numbers.js';
import { createProgress, type Progress } from '../progress.js';
import { makeFolder } from '../makeFolder.js';
import { requireWhole } from '../requireWhole.js';
import { warn } from '../runCommand.js';
import { syncFolder, syncPath } from '../syncFolder.js';
import { version } from '../version.js';
import { writeError } from '../writeError.js';
import {
  BACKUP_FORMAT,
  backupFileName,
  KEPT,
  KEPT_PART,
  MANIFEST,
  type BackupFile,
  type KeptName,
  type Manifest,
} from './backupFormat.js';

/** MongoDB's error codes of a server without snapshots, such as one that is no replica set. */
const NO_SNAPSHOTS = [20, 72, 123];
/**
 * A collection, or one of its indexes, was made after the moment of the snapshot. A snapshot of a later moment can be
 * read.
 */
const SNAPSHOT_UNAVAILABLE = 246;
const MOST_TRIES = 20;
const AGAIN_MS = 250;
/** The snapshot is older than what the server keeps. */
const SNAPSHOT_TOO_OLD = 239;

/**
 * Writes everything that cannot be built again into a folder, as it was at one moment. The folder is made, or is empty,
 * and only this user can read it. A backup that fails, or is asked to end, removes what it wrote. Throws CliError where
 * the folder holds anything, and where only a part of the archive is restored.
 */
export async function writeBackup(mongo: Mongo, folder: string): Promise<Manifest> {
  await makeFolder(folder, { mode: 0o700 });
  return endingInOrder((signal) => writeReserved(mongo, folder, signal));
}

async function writeReserved(mongo: Mongo, folder: string, signal: AbortSignal): Promise<Manifest> {
  const reserved = await reserveManifest(folder);
  try {
    // Another command may have finished its backup just before the manifest was reserved. So this is looked at now.
    if ((await readdir(folder)).length > 1)
      throw new CliError(`${folder} is not empty: name another folder`);
    return await writeWhole(mongo, folder, reserved, signal);
  } catch (error) {
    await rm(partialManifest(folder), { force: true });
    throw writeError(folder, explained(error));
  } finally {
    await reserved.close();
  }
}

/** Writes all files of a backup, the manifest last. Where one of them cannot be written, removes the others. */
async function writeWhole(
  mongo: Mongo,
  folder: string,
  reserved: FileHandle,
  signal: AbortSignal,
): Promise<Manifest> {
  try {
    const manifest = await writeFiles(mongo, folder, signal);
    await writeManifest(folder, reserved, manifest);
    return manifest;
  } catch (error) {
    for (const name of [MANIFEST, ...KEPT.map(backupFileName)]) {
      const path = join(folder, name);
      await rm(path, { force: true }).catch(() =>
        warn(`${path} is left of the backup that failed`),
      );
    }
    throw error;
  }
}

/** Writes all files of a backup but its manifest, as of one moment. */
async function writeFiles(mongo: Mongo, folder: string, signal: AbortSignal): Promise<Manifest> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryFiles(mongo, folder, signal);
    } catch (error) {
      const isTransient = hasCode(error, [SNAPSHOT_UNAVAILABLE]) && tries < MOST_TRIES;
      if (!isTransient) throw error;
    }
    await pause(AGAIN_MS);
  }
}

/** Writes the files as of one moment, in place of those of an earlier try. */
async function tryFiles(mongo: Mongo, folder: string, signal: AbortSignal): Promise<Manifest> {
  // The time is taken before anything is read. A person who is erased after this time may still be in the backup.
  const createdAt = new Date().toISOString();
  const total = await countKept(mongo);
  const session = await openSnapshot(mongo);
  const progress = createProgress('Backup', total, (done) => counted(done, 'document'));
  try {
    // A restore may have begun since this command did. So this is looked at as of the moment that is written.
    await requireWhole(mongo, session);
    const files: [KeptName, BackupFile][] = [];
    for (const name of KEPT)
      files.push([name, await writeFile(mongo, session, { folder, name, progress, signal })]);
    return {
      format: BACKUP_FORMAT,
      version: version(),
      createdAt,
      namespace: mongo.namespace,
      snapshot: session !== undefined,
      collections: Object.fromEntries(files) as Manifest['collections'],
    };
  } finally {
    progress.stop();
    await session?.endSession();
  }
}

/**
 * Makes the file that becomes the manifest. Of two commands with the same folder, only one can make it at a time, so they
 * never write over each other's files.
 */
async function reserveManifest(folder: string): Promise<FileHandle> {
  try {
    return await open(partialManifest(folder), 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CliError(
        `${folder} holds a backup that is being made, or was cut off: name another folder, and remove this one where none is being made any more`,
      );
    throw writeError(folder, error);
  }
}

function partialManifest(folder: string): string {
  return join(folder, `${MANIFEST}.partial`);
}

async function countKept({ db }: Mongo): Promise<number> {
  const counts = await Promise.all(
    KEPT.map((name) => {
      const part = KEPT_PART[name];
      const collection = db.collection(name);
      return part ? collection.countDocuments(part) : collection.estimatedDocumentCount();
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Opens a session that reads all collections as they are at one moment; undefined where the server has no snapshots.
 */
async function openSnapshot({ client, db }: Mongo): Promise<ClientSession | undefined> {
  const session = client.startSession({ snapshot: true });
  try {
    // The first read fixes the moment. Every collection has to be readable as of that moment.
    for (const name of KEPT) {
      await db.collection(name).findOne({}, { session, projection: { _id: 1 } });
    }
    return session;
  } catch (error) {
    await session.endSession();
    if (hasCode(error, NO_SNAPSHOTS)) return undefined;
    throw error;
  }
}

async function writeFile(
  { db }: Mongo,
  session: ClientSession | undefined,
  {
    folder,
    name,
    progress,
    signal,
  }: { folder: string; name: KeptName; progress: Progress; signal: AbortSignal },
): Promise<BackupFile> {
  const options = { raw: true, ...(session && { session }) };
  const documents = db
    .collection(name)
    .find(KEPT_PART[name] ?? {}, options)
    .stream();
  const hash = createHash('sha256');
  const file = { documents: 0, bytes: 0 };
  const counting = new Transform({
    writableObjectMode: true,
    transform(document: Uint8Array, _encoding, done) {
      file.documents += 1;
      progress.advance(1);
      done(null, document);
    },
  });
  const measuring = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      hash.update(bytes);
      file.bytes += bytes.length;
      done(null, bytes);
    },
  });
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const out = createWriteStream(join(folder, backupFileName(name)), { mode: 0o600, flush: true });
  await pipeline(Readable.from(documents), counting, gzip, measuring, out, { signal });
  return { ...file, sha256: hash.digest('hex') };
}

/**
 * Writes the manifest. It gets its name only when the disk holds all files and the folder's entries for them. So after a
 * power cut, a folder with a manifest holds a whole backup.
 */
async function writeManifest(folder: string, file: FileHandle, manifest: Manifest): Promise<void> {
  await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  await file.sync();
  await syncFolder(folder);
  await rename(partialManifest(folder), join(folder, MANIFEST));
  await syncPath(folder);
}

function hasCode(error: unknown, codes: readonly number[]): boolean {
  return error instanceof MongoServerError && codes.includes(Number(error.code));
}

function explained(error: unknown): unknown {
  if (hasCode(error, [SNAPSHOT_UNAVAILABLE])) {
    return new CliError('A collection was made, or an index, during the backup: run it once more');
  }
  if (!hasCode(error, [SNAPSHOT_TOO_OLD])) return error;
  return new CliError(
    'MongoDB does not keep the moment of the backup for as long as it takes: raise minSnapshotHistoryWindowInSeconds, or use mongodump --oplog',
  );
}
