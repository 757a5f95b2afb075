import { createHash } from 'node:crypto';
import { AppError } from '../../../shared/contract/errors.js';

const DIGEST_BYTES = 12;

/** An opaque, URL-safe cursor: a position, bound to the question (sort and filters) that it belongs to. */
export function encodeCursor(question: readonly unknown[], position: string): string {
  return Buffer.concat([digest(question, position), Buffer.from(position)]).toString('base64url');
}

/** The position of a cursor. Throws VALIDATION_ERROR when it is damaged, of another question, or not of this shape. */
export function decodeCursor(
  question: readonly unknown[],
  cursor: string,
  shape: RegExp,
): RegExpExecArray {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(DIGEST_BYTES).toString();
  const match = shape.exec(position);
  // Decoding overlooks characters that are not base64url: only the very text that was handed out is taken.
  if (!match || encodeCursor(question, position) !== cursor) throw wrongCursor();
  return match;
}

function digest(question: readonly unknown[], position: string): Buffer {
  const hash = createHash('sha256').update(JSON.stringify([question, position]));
  return hash.digest().subarray(0, DIGEST_BYTES);
}

function wrongCursor(): AppError {
  const message = 'cursor is damaged, or belongs to another sort or filter';
  return new AppError('VALIDATION_ERROR', message, { details: [{ path: 'cursor', message }] });
}
