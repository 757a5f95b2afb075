import { AppError } from '../../../shared/contract/errors.js';
import type { BytePart } from '../../../shared/mirror/bytePart.js';

/** The headers by which a client asks for a part of a file (RFC 9110, 14.2 and 13.1.5); '' where it sends none. */
export interface RangeHeaders {
  /** Which bytes it wants. */
  range: string;
  /** The quoted entity tag of the file of which it has other parts. */
  ifRange: string;
}

/** The headers of a client that asks for the whole file. */
export const WHOLE: RangeHeaders = { range: '', ifRange: '' };

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * Decides which part of a file a client gets. The file has `bytes` bytes and the quoted entity tag `etag`. Returns
 * undefined where the client gets the whole file: where it asks for no part or for several, where `range` is malformed,
 * and where `ifRange` names another file. Throws RANGE_NOT_SATISFIABLE where the file ends before the part begins.
 */
export function askedPart(
  { range, ifRange }: RangeHeaders,
  bytes: number,
  etag: string,
): BytePart | undefined {
  const [, first = '', last = ''] = ONE_RANGE.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (ifRange !== '' && ifRange !== etag) return undefined;
  // Without a first byte, the number tells how many bytes of the end are wanted.
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes - 1 : Math.min(bytes - 1, Number(last));
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (from < bytes) return { from, to };
  throw new AppError('RANGE_NOT_SATISFIABLE', `The file has ${bytes} bytes`, {
    headers: { 'Content-Range': `bytes */${bytes}` },
  });
}
