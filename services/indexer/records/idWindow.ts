import type { Collection, Document, Filter } from 'mongodb';

/** Some ids: those after one and up to another in the order of their text, or some by name. */
export type IdWindow = { after: string; upTo?: string } | { ids: string[] };

/** MongoDB's condition for a field that holds `prefix` (which ends with a slash) and an id of a window. */
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

/** Windows of at most `size` of some ids, or as many of those that are next as `fit` allows. */
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
 * Windows that together hold every possible id, each with the ids of at most `size` documents of a collection, or as
 * many of the ids that are next as `fit` allows. An id stands in `_id`, or in another field that is indexed.
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
