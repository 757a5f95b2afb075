import { gunzipSync } from 'node:zlib';
import type { Collections } from '../../shared/store/collections.js';
import { bodyOwner, readPieces } from '../../shared/store/pieces.js';

/** A stored body, parsed; null where it is not there, or is marked as gone. */
export async function readBody<T>(collections: Collections, id: string): Promise<T | null> {
  const body = await collections.bodies.findOne({ _id: id });
  if (!body || body.gone) return null;
  if (body.gzip) return JSON.parse(gunzipSync(body.gzip.buffer).toString()) as T;
  const bytes: Buffer[] = [];
  for await (const piece of readPieces(collections, bodyOwner(id, body.revision)))
    bytes.push(piece);
  return JSON.parse(gunzipSync(Buffer.concat(bytes)).toString()) as T;
}
