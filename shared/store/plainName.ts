/** Control characters, and characters that change the direction of text (bidi embeddings, overrides and isolates). */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * A name as records hold it: on one line, trimmed, without unsafe characters, and with single spaces. A name that is
 * plain already stays as it is, so that an export of the archive gives the same names again.
 */
export function plainName(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(UNSAFE, '').replace(/ {2,}/g, ' ').trim();
}
