const SHORTEST_MS = 100;
const LONGEST_MS = 10_000;

/**
 * How long to wait before an ended process is replaced (ms). `quickEnds` is how many processes before it, in a row,
 * ended soon after their start.
 */
export function restMs(quickEnds: number): number {
  return Math.min(SHORTEST_MS * 2 ** quickEnds, LONGEST_MS);
}
