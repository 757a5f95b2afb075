/** The first texts of a list that together have at most `most` characters (UTF-16 code units). */
export function textsWithin(texts: readonly string[], most: number): string[] {
  let room = most;
  return texts.filter(({ length }) => (room -= length) >= 0);
}
