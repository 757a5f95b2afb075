import { pipeline } from 'node:stream/promises';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { ObjectId } from 'mongodb';
import { peek } from '../exportFormat/inflate.js';
import type { Collections } from './collections.js';
import { pieceId, PieceWriter, readPieces, removePieces, uploadOwner } from './pieces.js';

type Store = Pick<Collections, 'pieces'>;

const COMPRESSION = { level: constants.Z_BEST_SPEED };
/** A file of fewer bytes is compressed in one call. A stream would cost more than the compression. */
const SMALL_BYTES = 1 << 16;

/** Makes the id of a new upload. */
export function newUploadId(): string {
  return new ObjectId().toHexString();
}

/**
 * Stores a file under an id, gzip-compressed. A file that is compressed already is stored as it is. After an error,
 * nothing of it is kept.
 */
export async function storeUpload(
  store: Store,
  uploadId: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { head, all } = await peek(source, SMALL_BYTES);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const writer = new PieceWriter(store, uploadOwner(uploadId));
  const write = async (bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> => {
    for await (const some of bytes) await writer.write(some);
    await writer.finish();
  };
  try {
    if (isGzip) await write(all);
    else if (head.length < SMALL_BYTES) await write([gzipSync(head, COMPRESSION)]);
    else await pipeline(all, createGzip(COMPRESSION), write);
  } catch (error) {
    await deleteUpload(store, uploadId);
    throw error;
  }
}

/**
 * Reads the stored bytes of an upload, gzip-compressed. Throws MissingPieceError where there is no such upload, or
 * where it is not whole.
 */
export function openUpload(store: Store, uploadId: string): AsyncGenerator<Buffer> {
  return readPieces(store, uploadOwner(uploadId));
}

/** Deletes an upload. Does nothing where there is none. */
export async function deleteUpload(store: Store, uploadId: string): Promise<void> {
  await removePieces(store, [uploadOwner(uploadId)]);
}

/** Those of some uploads whose first piece exists. */
export async function storedUploads(
  { pieces }: Store,
  uploadIds: string[],
): Promise<ReadonlySet<string>> {
  const firstId = (uploadId: string) => pieceId(uploadOwner(uploadId), 0);
  const filter = { _id: { $in: uploadIds.map(firstId) } };
  const found = await pieces.find(filter, { projection: { _id: 1 } }).toArray();
  const ids = new Set(found.map(({ _id }) => _id));
  return new Set(uploadIds.filter((uploadId) => ids.has(firstId(uploadId))));
}
