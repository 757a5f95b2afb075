/** The limits of one batch: how many items it has, and how much they weigh together. */
export interface BatchLimits<T> {
  items?: number;
  weight?: number;
  weigh?: (item: T) => number;
}

/**
 * Groups the items of a source into batches. A batch ends when it has `items` items (default 500), or with the item
 * that brings its weight to `weight`.
 */
export async function* batches<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { items = 500, weight = Infinity, weigh = () => 0 }: BatchLimits<T> = {},
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let weighs = 0;
  for await (const item of source) {
    batch.push(item);
    weighs += weigh(item);
    if (batch.length < items && weighs < weight) continue;
    yield batch;
    batch = [];
    weighs = 0;
  }
  if (batch.length > 0) yield batch;
}
