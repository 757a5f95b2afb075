/** A part of a file: the offsets of its first and its last byte. */
export interface BytePart {
  from: number;
  to: number;
}

/** How many bytes a part has. */
export function lengthOf({ from, to }: BytePart): number {
  return to - from + 1;
}
