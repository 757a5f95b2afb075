/** A page of results, and where the next page begins. */
export interface Page<T> {
  shown: T[];
  nextCursor: string | null;
  hasMore: boolean;
}

/**
 * Makes a page of at most `limit` items. `found` was queried with `limit` + 1, so an extra item shows that a page
 * follows.
 */
export function pageOf<T>(found: T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit;
  return { shown, nextCursor: hasMore && last ? cursorOf(last) : null, hasMore };
}
