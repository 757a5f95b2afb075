/** The latencies of a run (ms). */
export interface Latencies {
  p50: number;
  p99: number;
  max: number;
}

/**
 * The smallest of the sorted values that is not exceeded by at least `share` (0 to 1) of them. 0 where there are no
 * values.
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The median, the 99th percentile and the greatest of some times, in any order. */
export function latenciesOf(times: Iterable<number>): Latencies {
  const sorted = Float64Array.from(times).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) };
}

/**
 * The median, the least and the greatest of some values. Of an even number of values, the median is the mean of the
 * middle two.
 */
export function medianOf(values: readonly number[]): { median: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
