const SHORTEST_MS = 100;
const LONGEST_MS = 10_000;

/**
 * How long to wait before a process that has ended is replaced (ms). `quickEnds` is how many processes in a row ended
 * soon after their start, before this one. The wait doubles with each of them.
 */
export function restMs(quickEnds: number): number {
  return Math.min(SHORTEST_MS * 2 ** quickEnds, LONGEST_MS);
}
