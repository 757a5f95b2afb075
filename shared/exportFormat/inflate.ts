import { pipeline, Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import { ExportError } from './exportError.js';
import { MAX_EXPORT_BYTES } from './limits.js';

/** The bytes of a file. Gzip, known by its first two bytes, is inflated. Throws ExportError beyond `maxBytes`. */
export async function* inflate(
  source: AsyncIterable<Uint8Array>,
  maxBytes = MAX_EXPORT_BYTES,
): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of await plain(source)) {
    total += chunk.length;
    if (total > maxBytes) throw new ExportError(`The file holds more than ${maxBytes} bytes`);
    yield chunk;
  }
}

async function plain(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Buffer>> {
  const { head, all } = await peek(source, 2);
  return head[0] === 0x1f && head[1] === 0x8b ? gunzip(all) : all;
}

/** Reads the first bytes of a stream. `all` gives the whole stream, these bytes included. */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < count;) {
    const next = await iterator.next();
    if (next.done) break;
    pieces.push(next.value);
    length += next.value.length;
  }
  const head = Buffer.concat(pieces);
  return { head, all: resume(head, iterator) };
}

async function* resume(head: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      yield Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Files with at most so many bytes, compressed and inflated, are inflated in one call. Most exports are that small, and
 * a stream would cost more.
 */
const SMALL_BYTES = 1 << 16;
const SMALL_INFLATED_BYTES = 1 << 19;

async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peek(source, SMALL_BYTES);
  const small = head.length < SMALL_BYTES ? inflateSmall(head) : null;
  if (small === null) yield* gunzipStream(all);
  else yield small;
}

/** The inflated bytes; null where they are too many, or damaged. Then the stream tells which. */
function inflateSmall(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: SMALL_INFLATED_BYTES });
  } catch {
    return null;
  }
}

async function* gunzipStream(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflated = createGunzip();
  pipeline(Readable.from(source, { highWaterMark: 2 }), inflated, () => undefined);
  try {
    for await (const chunk of inflated) yield chunk as Buffer;
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new ExportError(`The compressed data is damaged: ${error.message}`);
  }
}

function isZlibError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
