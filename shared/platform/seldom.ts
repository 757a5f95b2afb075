/**
 * Limits a function to one call within so many milliseconds. The first call runs at once, and calls too soon after one
 * that ran are dropped.
 */
export function seldom<Args extends unknown[]>(
  ms: number,
  call: (...args: Args) => void,
): (...args: Args) => void {
  let last = -Infinity;
  return (...args) => {
    const now = performance.now();
    if (now - last < ms) return;
    last = now;
    call(...args);
  };
}
