import type { Collection, Document, Filter } from 'mongodb';

/**
 * A range of ids, or a list of them. A range holds the ids after `after`, up to and including `upTo`, in the order of
 * their text. Without `upTo` it has no end.
 */
export type IdWindow = { after: string; upTo?: string } | { ids: string[] };

/**
 * MongoDB's condition for a field whose value is `prefix` followed by an id of a window. A prefix ends with a slash.
 */
export function within(window: IdWindow, prefix = ''): Document {
  if ('ids' in window) return { $in: window.ids.map((id) => prefix + id) };
  const { after, upTo } = window;
  const isOpen = upTo === undefined;
  const end = isOpen ? (prefix ? { $lt: endOf(prefix) } : {}) : { $lte: prefix + upTo };
  return { $gt: prefix + after, ...end };
}

/** The first text after all that begin with a prefix. */
function endOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/**
 * Divides a list of ids into windows of at most `size` ids. `fit` is given the ids of the next window, and resolves
 * with how many of them, from the first on, the window may hold. A window holds one id at least.
 */
export async function* namedWindows(
  ids: string[],
  size: number,
  fit: (ids: string[]) => Promise<number> = countOf,
): AsyncGenerator<IdWindow> {
  for (let start = 0; start < ids.length;) {
    const next = ids.slice(start, start + size);
    const taken = Math.max(1, await fit(next));
    yield { ids: next.slice(0, taken) };
    start += taken;
  }
}

/**
 * Windows that together hold every possible id. Each holds the ids of at most `size` documents of a collection, read in
 * the order of the ids. `fit` is given these ids, and resolves with how many of them, from the first on, the window may
 * hold. It holds one at least. The ids stand in `_id`, or in another field that has an index.
 */
export async function* idWindows<T extends Document>(
  collection: Collection<T>,
  size: number,
  {
    field = '_id',
    fit = countOf,
  }: { field?: string; fit?: (ids: string[]) => Promise<number> } = {},
): AsyncGenerator<IdWindow> {
  for (let after = ''; ;) {
    const next = await collection
      .find({ [field]: { $gt: after } } as Filter<T>)
      .project<Record<string, string>>({ [field]: 1 })
      .sort({ [field]: 1 })
      .limit(size)
      .toArray();
    const ids = [...new Set(next.map((document) => document[field]!))];
    const taken = ids.length === 0 ? 0 : Math.max(1, await fit(ids));
    if (taken === ids.length && next.length < size) {
      yield { after };
      return;
    }
    const upTo = ids[taken - 1]!;
    yield { after, upTo };
    after = upTo;
  }
}

function countOf(ids: string[]): Promise<number> {
  return Promise.resolve(ids.length);
}
