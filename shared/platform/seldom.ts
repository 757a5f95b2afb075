/** Calls a function at most once in so many milliseconds, from the first time on; calls in between are dropped. */
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
