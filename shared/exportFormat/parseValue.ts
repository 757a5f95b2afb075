import { isUtf8 } from 'node:buffer';
import { ExportError } from './exportError.js';
import { findJsonFault } from './findJsonFault.js';

/**
 * Parses one JSON value whose bytes begin at `offset` in the file. Throws ExportError that names the byte of the fault.
 */
export function parseValue(bytes: Buffer, offset: number): unknown {
  if (!isUtf8(bytes)) {
    throw new ExportError('The text is not valid UTF-8', `byte ${offset + validLength(bytes)}`);
  }
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const fault = findJsonFault(text) ?? { offset: 0, expected: 'a value' };
    const place = offset + Buffer.byteLength(text.slice(0, fault.offset));
    throw new ExportError(`The JSON is damaged: expected ${fault.expected}`, `byte ${place}`);
  }
}

/** How many bytes come before the first one that is invalid. */
function validLength(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isUtf8(bytes.subarray(0, wholeCharacters(bytes, middle)))) low = middle;
    else high = middle - 1;
  }
  return wholeCharacters(bytes, low);
}

/** The last place, at or before `end`, where no character is cut in two. */
function wholeCharacters(bytes: Buffer, end: number): number {
  let start = end;
  while (start > 0 && end - start < 3 && (bytes[start - 1]! & 0xc0) === 0x80) start -= 1;
  const lead = bytes[start - 1] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start > 0 && start - 1 + size > end ? start - 1 : end;
}
