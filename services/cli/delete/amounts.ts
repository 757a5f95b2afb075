import { counted } from '../numbers.js';

/** Counts with their nouns, such as `2 threads, 1 message`; counts of 0 are left out. */
export function amounts(counts: Readonly<Record<string, number>>): string {
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  return shown.map(([noun, count]) => counted(count, noun)).join(', ') || 'nothing';
}
