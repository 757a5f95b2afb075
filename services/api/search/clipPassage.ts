/** Longest passage shown (characters). */
export const PASSAGE = 240;

/** How much of the text before the first mark a clipped passage keeps (characters). */
const LEAD = 60;

const ATOM = /<\/?mark>|&#?\w+;|./gsu;

/**
 * A passage of escaped text with marks, cut around its first mark when it is longer than PASSAGE: passages are chosen
 * between words, and some words (keys, encoded files) are thousands of characters long.
 */
export function clipPassage(escaped: string): string {
  if (escaped.length <= PASSAGE) return escaped;
  const atoms: string[] = escaped.match(ATOM) ?? [];
  if (atoms.filter((atom) => !isMark(atom)).length <= PASSAGE) return escaped;
  const start = Math.max(0, atoms.indexOf('<mark>') - LEAD);
  const kept = takeCharacters(atoms.slice(start), PASSAGE);
  const isOpen = kept.lastIndexOf('<mark>') > kept.lastIndexOf('</mark>');
  return kept.join('') + (isOpen ? '</mark>' : '');
}

function isMark(atom: string): boolean {
  return atom === '<mark>' || atom === '</mark>';
}

function takeCharacters(atoms: readonly string[], limit: number): string[] {
  let characters = 0;
  const end = atoms.findIndex((atom) => !isMark(atom) && ++characters > limit);
  return atoms.slice(0, end === -1 ? undefined : end);
}
