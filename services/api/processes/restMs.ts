const SHORTEST_MS = 100;
const LONGEST_MS = 10_000;

/**
 * Milliseconds until an ended process is replaced. `quickEnds`: how many in a row ended soon after their start before
 * it.
 */
export function restMs(quickEnds: number): number {
  return Math.min(SHORTEST_MS * 2 ** quickEnds, LONGEST_MS);
}
