import { PassThrough } from 'node:stream';
import { ExportError } from '../exportFormat/exportError.js';
import { inspectExport, type Inspection } from '../exportFormat/readExport.js';
import type { Collections } from './collections.js';
import { joinSmallParts } from './joinSmallParts.js';
import { storeUpload } from './uploads.js';

/** The most bytes that are held back. The header stands first, and has to show within them that the file is public. */
const MOST_HELD_BYTES = 2 ** 24;

/**
 * Checks an export file while it arrives, and stores it under an id. No byte is stored before the header has shown that
 * the file is public. Where the file is not taken, or does not arrive whole, nothing of it is kept. Throws errors of
 * the source.
 */
export async function storeChecked(
  collections: Pick<Collections, 'pieces'>,
  uploadId: string,
  source: AsyncIterable<Uint8Array>,
): Promise<Inspection> {
  const out = new PassThrough();
  // `discard` destroys it with an error. storeUpload reads from it, and gets that error by itself.
  out.on('error', () => undefined);
  const held: Uint8Array[] = [];
  let stored: Promise<void> | undefined;
  const open = (): void => {
    if (stored) return;
    for (const piece of held) out.write(piece);
    held.length = 0;
    stored = storeUpload(collections, uploadId, out);
    // It is awaited below, after the verdict. It must not count as unhandled where it fails before that.
    stored.catch(() => undefined);
  };
  try {
    const verdict = await inspectExport(
      passing(joinSmallParts(source), held, out, () => stored),
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

/** Passes on the parts of a source. It also writes each part to `out`, or holds it back while nothing may be stored. */
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
      // When storing fails, `out` never drains.
      await Promise.race([new Promise((resolve) => out.once('drain', resolve)), storing]);
    }
    yield piece;
  }
}

/** Ends the storing with an error, so that storeUpload removes what it has stored. */
async function discard(out: PassThrough, stored: Promise<void> | undefined): Promise<void> {
  out.destroy(new Error('The upload is not taken'));
  await stored?.catch(() => undefined);
}
