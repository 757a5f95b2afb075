import { timingSafeEqual } from 'node:crypto';

/** Compares two texts in a time that does not depend on where they differ. Only their length may show. */
export function equalTexts(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
