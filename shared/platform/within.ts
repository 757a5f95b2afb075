/** What work comes to, unless it takes longer than `ms`: then throws a TimeoutError, and nobody hears of the work any more. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // After a blocked turn of the event loop an answer may be here already: let it be heard first.
      setImmediate(() => reject(new DOMException(`Nothing came in ${ms} ms`, 'TimeoutError')));
    }, ms);
  });
  try {
    return await Promise.race([work(), silence]);
  } finally {
    clearTimeout(timer);
  }
}
