/**
 * Runs `work` for every item, at most `limit` at a time, and begins in the order of the items. After an error nothing
 * new is begun. Once all running work has ended, the first error is thrown.
 */
export async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  // Work may fail while this function waits for the next item. So errors are kept here until all work has ended.
  const errors: unknown[] = [];
  try {
    for await (const item of items) {
      if (errors.length > 0) break;
      const task = work(item)
        .catch((error: unknown) => void errors.push(error))
        .finally(() => running.delete(task));
      running.add(task);
      if (running.size >= limit) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (errors.length > 0) throw errors[0];
}
