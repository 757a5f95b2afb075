import { createHmac } from 'node:crypto';
import { AppError } from '../../../shared/contract/errors.js';
import { equalTexts } from '../../../shared/platform/equalTexts.js';
import type { Collections } from '../../../shared/store/collections.js';
import { archiveSecret } from '../../../shared/store/secrets.js';

/** How many bytes of a cursor come before its position. */
export const SIGNATURE_BYTES = 12;

/** Writes and reads the cursors of an archive. They are signed, so nobody else can write one. */
export interface Cursors {
  /**
   * Writes an opaque, URL-safe cursor. It holds a position, and is bound to the question (sort and filters) that it
   * belongs to.
   */
  write: (question: readonly unknown[], position: string) => string;
  /**
   * Reads the position in a cursor. Throws VALIDATION_ERROR where the cursor is of another archive or another question,
   * or has another shape.
   */
  read: (question: readonly unknown[], cursor: string, shape: RegExp) => RegExpExecArray;
}

/** Gives the cursors of an archive once its key is known. */
export type OpenCursors = () => Promise<Cursors>;

/** Cursors whose key is kept in MongoDB, so that every process uses the same one. */
export interface KeptCursors {
  /** Reads the key when it is first needed. */
  open: OpenCursors;
  /** Forgets the key, so that it is read again when it is needed. A restored archive may have another one. */
  forget(): void;
}

/** The cursors of an archive. */
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
      // Decoding ignores characters that are not base64url. So the text is compared with the one that was issued.
      if (!match || !equalTexts(write(question, position), cursor)) throw wrongCursor();
      return match;
    },
  };
}

function wrongCursor(): AppError {
  const message =
    'cursor is not one that this archive has handed out for this sort and these filters; begin again without it';
  return new AppError('VALIDATION_ERROR', message, { details: [{ path: 'cursor', message }] });
}
