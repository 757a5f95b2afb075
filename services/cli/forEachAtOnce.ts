/** Runs `work` for every item, `limit` at a time, in order of their start. After an error nothing new is started. */
export async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  try {
    for await (const item of items) {
      const task = work(item).finally(() => running.delete(task));
      // Awaited below; this keeps an early failure from counting as unhandled.
      task.catch(() => undefined);
      running.add(task);
      if (running.size >= limit) await Promise.race(running);
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}
