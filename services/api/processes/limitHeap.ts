import { setFlagsFromString } from 'node:v8';

/** How large the heap should be at most when V8 begins a full collection (megabytes). */
const ROOM_MB = 115;
/** How much of the heap is in use while the response cache is empty (megabytes). */
const EMPTY_MB = 42;
/** How much more of the heap is in use for each megabyte that the response cache counts (megabytes). */
const PER_KEPT_MB = 0.83;
/** How much the heap may always grow (percent of what is in use). With less, V8 would collect nearly all the time. */
const LEAST_GROWTH = 30;
const ADJUSTED_EVERY_MS = 1_000;

/**
 * Keeps the heap of this process small. Once a second, it reads from `keptBytes` how many bytes the response cache
 * holds, and sets how much the heap may grow before V8 begins a full collection.
 *
 * An answer in the cache is an object of the old generation. When it leaves the cache, only a full collection frees its
 * memory. By default, V8 begins one when the heap has grown to about three and a half times what is in use. With a full
 * cache, the process would then take too much memory. With an empty cache, more frequent collections would only cost
 * time. So the more the cache holds, the less the heap may grow. Figures: docs/performance.md.
 */
export function limitHeap(keptBytes: () => number): void {
  const adjust = (): void => {
    setFlagsFromString(`--heap-growing-percent=${growthFor(keptBytes() / 1_048_576)}`);
  };
  adjust();
  setInterval(adjust, ADJUSTED_EVERY_MS).unref();
}

/** How much the heap may grow after a full collection (percent of what is in use). */
export function growthFor(keptMegabytes: number): number {
  const used = EMPTY_MB + PER_KEPT_MB * keptMegabytes;
  return Math.max(LEAST_GROWTH, Math.round((ROOM_MB / used - 1) * 100));
}
