import { setFlagsFromString } from 'node:v8';

/** By how much (percent) the heap may grow beyond what is in use before garbage is collected. */
const GROWTH = 30;

/**
 * Has V8 collect the garbage of a heap that holds a full cache before it is several times what is in use. Answers that
 * leave the cache are old, so V8 counts them among what lasts, and would let them pile up to three times what lasts.
 * What this gives and costs: docs/performance.md.
 */
export function limitHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
