/**
 * The result of `work`. Rejects with a TimeoutError when it takes longer than `ms`; the work goes on, but its result is
 * dropped.
 */
export function withTimeout<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const pending = work();
    const timer = setTimeout(() => {
      // When the event loop was blocked, the answer may have arrived already. It is handled before this rejects.
      setImmediate(() => reject(new DOMException(`Nothing came in ${ms} ms`, 'TimeoutError')));
    }, ms);
    void pending.then(resolve, reject).then(() => clearTimeout(timer));
  });
}
