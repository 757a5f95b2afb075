import type { Random } from '../../test/support/generateRecords.js';

/** How many words can be drawn. */
const VOCABULARY = 50_000;

const SYLLABLES = ['ka', 'lo', 'mi', 'ra', 'tu', 'se', 'vin', 'dor', 'pel', 'gan', 'xi', 'bo'];
const words: string[] = [];

/** The word with a rank. The commonest word has rank 1. */
export function wordOf(rank: number): string {
  return (words[rank] ??= spell(rank));
}

function spell(rank: number): string {
  let word = '';
  for (let rest = rank; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]!;
  }
  return `${word}n`;
}

/** The words with these ranks, as a text. */
export function textOf(ranks: readonly number[]): string {
  return ranks.map(wordOf).join(' ');
}

/** Makes a function that draws ranks from 1 to `size`. Rank n is drawn 1/n times as often as rank 1 (Zipf's law). */
export function zipf(random: Pick<Random, 'below'>, size = VOCABULARY): () => number {
  const sums = new Float64Array(size);
  let sum = 0;
  for (let rank = 1; rank <= size; rank += 1) sums[rank - 1] = sum += 1 / rank;
  return () => {
    const wanted = (random.below(2 ** 31) / 2 ** 31) * sum;
    let [low, high] = [0, size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
