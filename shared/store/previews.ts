const PREVIEW_CHARACTERS = 200;

/** The first 200 characters (code points) of a text: what a preview shows of it. */
export function firstCharacters(text: string): string {
  if (text.length <= PREVIEW_CHARACTERS) return text;
  return Array.from(text.slice(0, PREVIEW_CHARACTERS * 2))
    .slice(0, PREVIEW_CHARACTERS)
    .join('');
}
