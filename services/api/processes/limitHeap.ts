import { setFlagsFromString } from 'node:v8';

/** V8 should collect the whole heap before it has more than so many megabytes. */
const ROOM_MB = 115;
/** How many megabytes of the heap are in use while the response cache is empty. */
const EMPTY_MB = 42;
/** How many megabytes of the heap are in use for each megabyte that the response cache counts. */
const PER_KEPT_MB = 0.83;
/**
 * The least growth that is always allowed (percent of what is in use). With less, V8 would collect nearly all the time.
 */
const LEAST_GROWTH = 30;
const ADJUSTED_EVERY_MS = 1_000;

/**
 * Bounds the heap of this process. `keptBytes` tells how many bytes the response cache holds.
 *
 * An answer in the cache becomes an old object. When it leaves the cache, only a collection of the whole heap frees its
 * memory. By default, V8 begins such a collection when the heap has grown to about three and a half times what is in
 * use. With a full cache, the process would then take too much memory. With an empty cache, more frequent collections
 * would only cost time. So the more the cache holds, the less the heap may grow. Figures: docs/performance.md.
 */
export function limitHeap(keptBytes: () => number): void {
  const adjust = (): void => {
    setFlagsFromString(`--heap-growing-percent=${growthFor(keptBytes() / 1_048_576)}`);
  };
  adjust();
  setInterval(adjust, ADJUSTED_EVERY_MS).unref();
}

/**
 * How much the heap may grow after a collection (percent of what is in use), with so many megabytes in the response
 * cache.
 */
export function growthFor(keptMegabytes: number): number {
  const used = EMPTY_MB + PER_KEPT_MB * keptMegabytes;
  return Math.max(LEAST_GROWTH, Math.round((ROOM_MB / used - 1) * 100));
}
