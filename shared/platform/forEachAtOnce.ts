/** Runs `work` for every item, `limit` at a time, in order of their start. After an error nothing new is started. */
export async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  // A task may fail while only the next item is awaited. So its error is kept, and thrown when all tasks have ended.
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
