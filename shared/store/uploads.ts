import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { Binary, ObjectId } from 'mongodb';
import { peek } from '../exportFormat/inflate.js';
import type { Collections } from './collections.js';
import { findGathered, writeAllGathered } from './gather.js';

type UploadCollections = Pick<Collections, 'uploadChunks'>;

/** Compressed bytes of one chunk. Most exports fit one: a file then costs one write and one read, not GridFS's two. */
const CHUNK_BYTES = 1 << 20;

/** A new upload's id. */
export function newUploadId(): string {
  return new ObjectId().toHexString();
}

/** Stores a file under an id, gzip-compressed (as it is when it is so already). After an error nothing is left of it. */
export async function storeUpload(
  collections: UploadCollections,
  uploadId: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { head, all } = await peek(source, 2);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const store = (bytes: AsyncIterable<Uint8Array>) => storeChunks(collections, uploadId, bytes);
  try {
    if (isGzip) await store(all);
    else await pipeline(all, createGzip({ level: constants.Z_BEST_SPEED }), store);
  } catch (error) {
    await deleteUpload(collections, uploadId);
    throw error;
  }
}

/** The stored bytes of an upload, gzip-compressed. Throws when there is none of this id, or it is not whole. */
export async function* openUpload(
  { uploadChunks }: UploadCollections,
  uploadId: string,
): AsyncGenerator<Uint8Array> {
  for (let n = 0; ; n += 1) {
    const chunk = await findGathered(uploadChunks, chunkId(uploadId, n));
    if (!chunk) throw new MissingUploadError(`Piece ${n} of upload ${uploadId} is not there`);
    yield chunk.data.buffer;
    if (chunk.last) return;
  }
}

/** An upload is gone, or was never stored whole: whoever filed it has to file it again. */
export class MissingUploadError extends Error {
  override readonly name = 'MissingUploadError';
}

/** Deletes an upload; does nothing when it is gone. */
export async function deleteUpload(
  { uploadChunks }: UploadCollections,
  uploadId: string,
): Promise<void> {
  const filter = { _id: { $gte: `${uploadId}/`, $lt: `${uploadId}0` } };
  await writeAllGathered(uploadChunks, [{ deleteMany: { filter } }]);
}

async function storeChunks(
  collections: UploadCollections,
  uploadId: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  let n = 0;
  for await (const piece of source) {
    if (bytes > 0 && bytes + piece.length > CHUNK_BYTES) {
      await storeChunk(collections, chunkId(uploadId, n++), gathered, false);
      gathered = [];
      bytes = 0;
    }
    gathered.push(piece);
    bytes += piece.length;
  }
  await storeChunk(collections, chunkId(uploadId, n), gathered, true);
}

async function storeChunk(
  { uploadChunks }: UploadCollections,
  _id: string,
  pieces: Uint8Array[],
  last: boolean,
): Promise<void> {
  const document = { _id, data: new Binary(Buffer.concat(pieces)), last };
  await writeAllGathered(uploadChunks, [{ insertOne: { document } }]);
}

function chunkId(uploadId: string, n: number): string {
  return `${uploadId}/${n}`;
}
