import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ExportError } from './exportError.js';
import { MAX_EXPORT_BYTES } from './limits.js';

/** The bytes of a file, inflated when they are gzip (known by its first two bytes), and never more than the limit. */
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

/** The first bytes of a stream, and the whole of it still to be read. */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < count) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
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

async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
