/** The leading texts of a list that hold at most so many characters (UTF-16 code units) together. */
export function textsWithin(texts: readonly string[], most: number): string[] {
  let room = most;
  return texts.filter(({ length }) => (room -= length) >= 0);
}
