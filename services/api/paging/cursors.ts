import { createHmac } from 'node:crypto';
import { AppError } from '../../../shared/contract/errors.js';
import { equalTexts } from '../../../shared/platform/equalTexts.js';
import type { Collections } from '../../../shared/store/collections.js';
import { archiveSecret } from '../../../shared/store/secrets.js';

/** How many bytes of the signature a cursor holds. They stand before its position. */
export const SIGNATURE_BYTES = 12;

/** Writes and reads the cursors of an archive. They are signed, so that callers cannot make or change one. */
export interface Cursors {
  /**
   * Writes an opaque, URL-safe cursor that holds a position. It is only valid for the same `question`: the list, with
   * its sort and filters.
   */
  write: (question: readonly unknown[], position: string) => string;
  /**
   * Reads the position in a cursor, and returns it as matched by `shape`. Throws VALIDATION_ERROR where the cursor
   * belongs to another archive or another question, or its position does not match.
   */
  read: (question: readonly unknown[], cursor: string, shape: RegExp) => RegExpExecArray;
}

/** Resolves with the cursors of an archive, once their key has been read. */
export type OpenCursors = () => Promise<Cursors>;

/** The cursors of an archive. Their key is stored in MongoDB, so that every process uses the same one. */
export interface KeptCursors {
  /** Reads the key at the first call, and after a call that failed. */
  open: OpenCursors;
  /** Makes the next `open` read the key again. It may be another one after the archive was restored. */
  forget(): void;
}

/** Makes the cursors of an archive. */
export function keptCursors(store: Pick<Collections, 'state'>): KeptCursors {
  let opened: Promise<Cursors> | undefined;
  return {
    open() {
      if (!opened) {
        opened = archiveSecret(store, 'cursors').then(createCursors);
        opened.catch(() => (opened = undefined));
      }
      return opened;
    },
    forget: () => (opened = undefined),
  };
}

/** Makes cursors that are signed with a secret. */
export function createCursors(secret: string): Cursors {
  const sign = (question: readonly unknown[], position: string): Buffer => {
    const hmac = createHmac('sha256', secret).update(JSON.stringify([question, position]));
    return hmac.digest().subarray(0, SIGNATURE_BYTES);
  };
  const write = (question: readonly unknown[], position: string): string =>
    Buffer.concat([sign(question, position), Buffer.from(position)]).toString('base64url');
  return {
    write,
    read(question, cursor, shape) {
      const bytes = Buffer.from(cursor, 'base64url');
      const position = bytes.subarray(SIGNATURE_BYTES).toString();
      const match = shape.exec(position);
      // Node's decoder skips characters that are not base64url. So the whole text is compared, and not just its bytes.
      if (!match || !equalTexts(write(question, position), cursor)) throw wrongCursor();
      return match;
    },
  };
}

function wrongCursor(): AppError {
  const message =
    'cursor was not issued by this archive for this sort and these filters; begin again without it';
  return new AppError('VALIDATION_ERROR', message, { details: [{ path: 'cursor', message }] });
}
