/**
 * Resolves with the result of `work`. Rejects with a TimeoutError when `work` takes longer than `ms`. The work then
 * goes on, and `drop` gets its result, to free what it holds.
 */
export function withTimeout<T>(
  ms: number,
  work: () => Promise<T>,
  drop: (late: T) => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const pending = work();
    let take: (result: T) => void = resolve;
    const timer = setTimeout(() => {
      // Where the event loop was blocked, the answer may have arrived already. It is handled before this rejects.
      setImmediate(() => {
        take = drop;
        reject(new DOMException(`Nothing came in ${ms} ms`, 'TimeoutError'));
      });
    }, ms);
    void pending.then((result) => take(result), reject).then(() => clearTimeout(timer));
  });
}
