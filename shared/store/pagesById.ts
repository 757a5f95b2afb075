import type { Collection, Document, Filter } from 'mongodb';

/** Which documents are read, and how many at a time. */
export interface Paging<T> {
  size?: number;
  /** Reads only documents whose ids begin with this. It has to end with a slash. */
  prefix?: string;
  /** Reads only documents whose ids come after this one. */
  after?: string;
  /** Must not name the id. */
  filter?: Filter<T>;
  projection?: Document;
}

/**
 * Reads the documents of a collection in pages, in the order of their ids. No cursor stays open between two pages, so
 * the caller may take any time. (MongoDB ends a cursor after ten minutes without a request.)
 */
export async function* pagesById<T extends { _id: string }>(
  collection: Collection<T>,
  { size = 500, prefix = '', after = prefix, filter = {}, projection = {} }: Paging<T> = {},
): AsyncGenerator<T[]> {
  // `0` is the character after `/`.
  const before = prefix === '' ? {} : { $lt: `${prefix.slice(0, -1)}0` };
  for (let last = after; ;) {
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
