import { pipeline } from 'node:stream/promises';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { ObjectId } from 'mongodb';
import { peek } from '../exportFormat/inflate.js';
import type { Collections } from './collections.js';
import { pieceId, PieceWriter, readPieces, removePieces, uploadOwner } from './pieces.js';

type Store = Pick<Collections, 'pieces'>;

const COMPRESSION = { level: constants.Z_BEST_SPEED };
/** Files of fewer bytes are compressed at once. A stream would cost more than the compression. */
const SMALL_BYTES = 1 << 16;

/** A new upload's id. */
export function newUploadId(): string {
  return new ObjectId().toHexString();
}

/**
 * Stores a file under an id, gzip-compressed (as it is when it is so already). After an error nothing is left of it.
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
 * The stored bytes of an upload, gzip-compressed. Throws MissingPieceError when there is none of this id, or it is not
 * whole.
 */
export function openUpload(store: Store, uploadId: string): AsyncGenerator<Buffer> {
  return readPieces(store, uploadOwner(uploadId));
}

/** Deletes an upload; does nothing when it is gone. */
export async function deleteUpload(store: Store, uploadId: string): Promise<void> {
  await removePieces(store, [uploadOwner(uploadId)]);
}

/** Those of some uploads of which the first piece is there. */
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
