/** The result of `work`. Throws a TimeoutError when it takes longer than `ms`; the work goes on, but its result is dropped. */
export async function withTimeout<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // When the event loop was blocked, the answer may have arrived already. It is handled before this rejects.
      setImmediate(() => reject(new DOMException(`Nothing came in ${ms} ms`, 'TimeoutError')));
    }, ms);
  });
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
