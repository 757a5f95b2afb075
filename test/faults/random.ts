/** A source of random choices. The same seed gives the same choices. */
export interface Random {
  /** A whole number from 0 to below a limit. */
  below(limit: number): number;
  /** Whether something with this probability happens. */
  chance(probability: number): boolean;
  /** One of these elements. */
  pick<T>(from: readonly T[]): T;
  /** These elements in random order. */
  shuffle<T>(from: readonly T[]): T[];
}

/** A Random from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)]!,
    shuffle(from) {
      const rest = [...from];
      return from.map(() => rest.splice(below(rest.length), 1)[0]!);
    },
  };
}
