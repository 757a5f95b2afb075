import { timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal. It takes equally long wherever they differ. Only their length may show. */
export function equalTexts(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
