const PREVIEW_CHARACTERS = 200;

/** The first 200 characters (code points) of a text, which a preview shows. */
export function firstCharacters(text: string): string {
  if (text.length <= PREVIEW_CHARACTERS) return text;
  let end = 0;
  for (let n = 0; n < PREVIEW_CHARACTERS && end < text.length; n += 1) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
