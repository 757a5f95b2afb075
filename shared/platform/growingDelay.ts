/**
 * Milliseconds to wait after so many failures in a row (1 or more). The delay doubles from `firstMs` with each of them,
 * up to `longestMs`. Each delay is then shortened at random, by up to a half, so that not all try again at once.
 */
export function growingDelay(failures: number, firstMs: number, longestMs: number): number {
  const longest = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return Math.round(longest * (1 - Math.random() / 2));
}
