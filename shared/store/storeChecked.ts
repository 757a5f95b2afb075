import { PassThrough } from 'node:stream';
import { ExportError } from '../exportFormat/exportError.js';
import { inspectExport, type Inspection } from '../exportFormat/readExport.js';
import type { Collections } from './collections.js';
import { storeUpload } from './uploads.js';

/** The most bytes held back while it is not known whether a file is public: its header stands at its beginning. */
const MOST_HELD_BYTES = 2 ** 24;

/**
 * Checks an export file while it comes and stores it under an id. No byte of it is stored before its header has shown
 * that it is public, and nothing is left of a file that is not taken or does not come whole. Throws the source's errors.
 */
export async function storeChecked(
  collections: Pick<Collections, 'pieces'>,
  uploadId: string,
  source: AsyncIterable<Uint8Array>,
): Promise<Inspection> {
  const out = new PassThrough();
  // Destroyed by discard; whoever stores from it learns of that by itself.
  out.on('error', () => undefined);
  const held: Uint8Array[] = [];
  let stored: Promise<void> | undefined;
  const open = (): void => {
    if (stored) return;
    for (const piece of held) out.write(piece);
    held.length = 0;
    stored = storeUpload(collections, uploadId, out);
    // Awaited below, with the verdict; an early failure must not count as unhandled.
    stored.catch(() => undefined);
  };
  try {
    const verdict = await inspectExport(
      passing(source, held, out, () => stored),
      open,
    );
    if ('reason' in verdict) {
      await discard(out, stored);
      return verdict;
    }
    out.end();
    await stored;
    return verdict;
  } catch (error) {
    await discard(out, stored);
    throw error;
  }
}

/** The pieces of a source, each kept back or handed on to the store as it passes. */
async function* passing(
  source: AsyncIterable<Uint8Array>,
  held: Uint8Array[],
  out: PassThrough,
  stored: () => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of source) {
    const storing = stored();
    if (!storing) {
      bytes += piece.length;
      if (bytes > MOST_HELD_BYTES) {
        throw new ExportError('Its guild and channel must stand before its messages');
      }
      held.push(piece);
    } else if (!out.write(piece)) {
      // A store that fails never drains.
      await Promise.race([new Promise((resolve) => out.once('drain', resolve)), storing]);
    }
    yield piece;
  }
}

/** Ends the storing by an error, which takes away the pieces that were stored. */
async function discard(out: PassThrough, stored: Promise<void> | undefined): Promise<void> {
  out.destroy(new Error('The upload is not taken'));
  await stored?.catch(() => undefined);
}
