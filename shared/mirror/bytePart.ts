/** A part of a file: the offsets of its first and its last byte. */
export interface BytePart {
  from: number;
  to: number;
}

/** The Content-Range header of a part of a file that has so many bytes (RFC 9110, 14.4). */
export function contentRange({ from, to }: BytePart, bytes: number): string {
  return `bytes ${from}-${to}/${bytes}`;
}

/** How many bytes a part has. */
export function lengthOf({ from, to }: BytePart): number {
  return to - from + 1;
}
