import type { Readable } from 'node:stream';
import type { BytePart } from '../../../shared/mirror/bytePart.js';
import type { MirrorFiles } from '../../../shared/mirror/mirrorFiles.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';

/** The least time between two log lines about unreadable copies (ms). */
const TOLD_EVERY_MS = 60_000;

/**
 * Opens the copy under a key, which has so many bytes, or a part of it; null where it cannot be read. It never rejects.
 */
export type ReadMirror = (key: string, bytes: number, part?: BytePart) => Promise<Readable | null>;

/**
 * Makes a reader of the mirror. A copy that cannot be read is no error, because the platform may still have the file.
 * But it is logged, at most once a minute: otherwise nobody would notice that this API cannot read the mirror.
 */
export function createReadMirror(files: Pick<MirrorFiles, 'open'>, logger: Logger): ReadMirror {
  const tell = seldom(TOLD_EVERY_MS, (error: unknown) => {
    logger.warn(
      { err: error },
      'A copy of a file could not be read, so the reader is sent to the platform: this API needs the MIRROR_… settings of the indexer, and may have to run as the same user',
    );
  });
  return async (key, bytes, part) => {
    try {
      const found = await files.open(key, bytes, part);
      if (!found) tell(new Error('The mirror holds no such copy'));
      return found;
    } catch (error) {
      tell(error);
      return null;
    }
  };
}
