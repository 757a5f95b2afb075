/** Control characters, and characters that change the direction of text (bidi embeddings, overrides and isolates). */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const SPACE = /\s/u;

/**
 * A name as records hold it: on one line, trimmed, without unsafe characters, and with single spaces. A name that is
 * plain already stays as it is, so that an export of the archive gives the same names again.
 */
export function plainName(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(UNSAFE, '').replace(/ {2,}/g, ' ').trim();
}

/** A beginning of a text, told by its length, and its plain name. */
interface Beginning {
  length: number;
  name: string;
}

/**
 * A text begins with a name as somebody wrote it, and nobody knows where the name ends. Returns every beginning of the
 * text that may be the name, with its plain form, the shortest first. No name ends with a space, or with an unsafe
 * character behind a space. The text is read once, whatever characters it holds.
 */
export function plainBeginnings(text: string): Beginning[] {
  const ends: { length: number; plain: number }[] = [];
  let name = '';
  let isApart = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!;
    if (SPACE.test(sign)) {
      isApart = name !== '';
      continue;
    }
    if (sign.search(UNSAFE) < 0) {
      name += isApart ? ` ${sign}` : sign;
      isApart = false;
    }
    if (name !== '' && !isApart) ends.push({ length: at + 1, plain: name.length });
  }
  return ends.map(({ length, plain }) => ({ length, name: name.slice(0, plain) }));
}
