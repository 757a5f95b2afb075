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
 * Lists ids that come after `after`, in order. Lists at most `most`, and fewer only where no further ones follow. An id
 * may be listed more than once.
 */
export type ListIds = (after: string, most: number) => Promise<string[]>;

/**
 * Makes a function that lists the ids in a field of a collection, each once for each document that has it. The field
 * needs an index. With a prefix, which ends with a slash, only values that begin with it are read. The ids are what
 * follows the prefix in these values.
 */
export function idLister<T extends Document>(
  collection: Collection<T>,
  field: string & keyof T = '_id',
  prefix = '',
): ListIds {
  return async (after, most) => {
    const found = await collection
      .find({ [field]: within({ after }, prefix) } as Filter<T>)
      .project<Record<string, string>>({ [field]: 1 })
      .sort({ [field]: 1 })
      .limit(most)
      .toArray();
    return found.map((document) => document[field]!.slice(prefix.length));
  };
}

/** How many ids are read ahead. However few are asked for, MongoDB steps through tens of thousands of keys at once. */
const READ_AHEAD = 20_000;

/**
 * Makes a function that lists the ids in a field, each once, however many documents have it. `hint` names an index that
 * begins with the field: MongoDB steps through it from id to id. The function has to be called with ascending ids.
 */
export function distinctIdLister<T extends Document>(
  collection: Collection<T>,
  field: string & keyof T,
  hint: string,
): ListIds {
  let ahead: string[] = [];
  let isEnd = false;
  return async (after, most) => {
    ahead = ahead.slice(ahead.findLastIndex((id) => id <= after) + 1);
    if (ahead.length < most && !isEnd) {
      const steps = [
        { $match: { [field]: within({ after }) } },
        { $sort: { [field]: 1 } },
        { $group: { _id: `$${field}` } },
        { $limit: READ_AHEAD },
      ];
      const found = await collection.aggregate<{ _id: string }>(steps, { hint }).toArray();
      ahead = found.map(({ _id }) => _id);
      isEnd = ahead.length < READ_AHEAD;
    }
    return ahead.slice(0, most);
  };
}

/**
 * Windows that together hold every possible id. Each holds at most `size` of the ids that the sources list. `fit` is
 * given these ids, and resolves with how many of them, from the first on, the window may hold. It holds one at least.
 */
export async function* idWindows(
  sources: readonly ListIds[],
  size: number,
  fit: (ids: string[]) => Promise<number> = countOf,
): AsyncGenerator<IdWindow> {
  for (let after = ''; ;) {
    const lists = await Promise.all(sources.map((list) => list(after, size)));
    // A list of `size` ids may go on behind its last one. So only the ids up to there are known to be all.
    const ends = lists.flatMap((ids) => (ids.length < size ? [] : ids.slice(-1)));
    const end = ends.sort()[0];
    const known = [...new Set(lists.flat())].sort().filter((id) => end === undefined || id <= end);
    const ids = known.slice(0, size);
    const taken = ids.length === 0 ? 0 : Math.max(1, await fit(ids));
    if (end === undefined && taken === known.length) {
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
