import type { Collection, Document, Filter } from 'mongodb';

/** Which documents are read, and how many at once. */
export interface Paging<T> {
  size?: number;
  /** Their ids begin with it. It ends with a slash. */
  prefix?: string;
  /** Says nothing of the id. */
  filter?: Filter<T>;
  projection?: Document;
}

/**
 * Documents of a collection in the order of their ids, in pages. No cursor is open between two pages, so whoever reads
 * them may take any time: MongoDB ends a cursor that was not asked for ten minutes.
 */
export async function* pagesById<T extends { _id: string }>(
  collection: Collection<T>,
  { size = 500, prefix = '', filter = {}, projection = {} }: Paging<T> = {},
): AsyncGenerator<T[]> {
  // `0` is the character after `/`.
  const before = prefix === '' ? {} : { $lt: `${prefix.slice(0, -1)}0` };
  for (let last = prefix; ;) {
    const next = { ...filter, _id: { $gt: last, ...before } } as Filter<T>;
    const page = (await collection
      .find(next, { projection })
      .sort({ _id: 1 })
      .limit(size)
      .toArray()) as T[];
    if (page.length > 0) yield page;
    if (page.length < size) return;
    last = page.at(-1)!._id;
  }
}
