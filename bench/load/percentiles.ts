/** Latencies of a run (milliseconds). */
export interface Latencies {
  p50: number;
  p99: number;
  max: number;
}

/** The smallest value that at least `share` (0 to 1) of the sorted values do not exceed; 0 of no values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Median, 99th percentile and greatest of some times, in any order. */
export function latenciesOf(times: Float64Array): Latencies {
  const sorted = times.toSorted();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) };
}

/** The median of some values, the mean of the middle two where their number is even, and their least and greatest. */
export function medianOf(values: readonly number[]): { median: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
