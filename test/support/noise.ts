import { createHash } from 'node:crypto';

/**
 * A text of so many letters that compresses to no less than two thirds of that. The same seed gives the same text. It
 * has few words, because a word costs the search index about the same however long it is.
 */
export function noise(seed: number, letters: number): string {
  let text = '';
  for (let n = 0; text.length < letters; n += 1) {
    const digest = createHash('sha512').update(`${seed} ${n}`).digest('base64');
    text += `${digest.replace(/[^a-z]/gi, '')} `;
  }
  return text.slice(0, letters - 1) + 'z';
}
