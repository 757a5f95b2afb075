import { Readable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { GridFSBucket, MongoRuntimeError, ObjectId, type Db } from 'mongodb';
import { peek } from '../exportFormat/inflate.js';
import { UPLOAD_BUCKET } from '../jobs/jobs.js';

const buckets = new WeakMap<Db, GridFSBucket>();

/** A new upload's id. */
export function newUploadId(): string {
  return new ObjectId().toHexString();
}

/** Stores a file under an id, gzip-compressed (as it is when it is so already). After an error nothing is left of it. */
export async function storeUpload(
  db: Db,
  uploadId: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { head, all } = await peek(source, 2);
  const target = bucketOf(db).openUploadStreamWithId(new ObjectId(uploadId), uploadId);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const compress = isGzip ? [] : [createGzip({ level: constants.Z_BEST_SPEED })];
  try {
    await pipe([Readable.from(all, { highWaterMark: 2 }), ...compress, target]);
  } catch (error) {
    await deleteUpload(db, uploadId);
    throw error;
  }
}

/** The stored bytes of an upload, gzip-compressed. Reading throws when there is none of this id. */
export function openUpload(db: Db, uploadId: string): Readable {
  return bucketOf(db).openDownloadStream(new ObjectId(uploadId));
}

/** Deletes an upload; does nothing when it is gone. */
export async function deleteUpload(db: Db, uploadId: string): Promise<void> {
  try {
    await bucketOf(db).delete(new ObjectId(uploadId));
  } catch (error) {
    if (!(error instanceof MongoRuntimeError)) throw error;
  }
}

/** One bucket a database: it checks its indexes once. A stream may take longer than the client's limit for one call. */
function bucketOf(db: Db): GridFSBucket {
  const known = buckets.get(db);
  if (known) return known;
  const bucket = new GridFSBucket(db, { bucketName: UPLOAD_BUCKET });
  buckets.set(db, bucket);
  return bucket;
}
