import { setFlagsFromString } from 'node:v8';

/** The heap may grow to so many megabytes before V8 collects the whole of it. */
const ROOM_MB = 115;
/** What is in use of it while nothing is kept. */
const EMPTY_MB = 42;
/** What is in use of it for each megabyte that the response cache counts. */
const PER_KEPT_MB = 0.83;
/** How much the heap may grow in any case (percent of what is in use). Collections would follow too closely otherwise. */
const LEAST_GROWTH = 30;
const ADJUSTED_EVERY_MS = 1_000;

/**
 * Bounds the memory that old answers take. An answer that leaves the response cache has lived so long that only a
 * collection of the whole heap frees it. By default V8 begins one when the heap has grown to about three and a half
 * times what is in use. That is too much when the cache is full. While the cache is nearly empty, it is as it should be,
 * since collections take time from reads. So the more the cache holds, the less the heap may grow. Figures:
 * docs/performance.md.
 */
export function limitHeap(keptBytes: () => number): void {
  let set = 0;
  const adjust = (): void => {
    const growth = growthFor(keptBytes() / 1_048_576);
    if (growth !== set) setFlagsFromString(`--heap-growing-percent=${growth}`);
    set = growth;
  };
  adjust();
  setInterval(adjust, ADJUSTED_EVERY_MS).unref();
}

/** How much the heap may grow after a collection (percent of what is in use), with so much in the response cache. */
export function growthFor(keptMegabytes: number): number {
  const used = EMPTY_MB + PER_KEPT_MB * keptMegabytes;
  return Math.max(LEAST_GROWTH, Math.round((ROOM_MB / used - 1) * 100));
}
