/** How many characters (code points) a text has. An emoji that UTF-16 writes as two halves is one. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}
