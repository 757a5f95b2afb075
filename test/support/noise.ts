import { createHash } from 'node:crypto';

/**
 * Text of so many letters that compress to no less than two thirds of their number, the same for the same seed. It has
 * few words, since a word costs the search index about the same however long it is.
 */
export function noise(seed: number, letters: number): string {
  let text = '';
  for (let n = 0; text.length < letters; n += 1) {
    const digest = createHash('sha512').update(`${seed} ${n}`).digest('base64');
    text += `${digest.replace(/[^a-z]/gi, '')} `;
  }
  return text.slice(0, letters - 1) + 'z';
}
