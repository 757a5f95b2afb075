/** A page: what is shown of what was found, and where the next one begins. */
export interface Page<T> {
  shown: T[];
  nextCursor: string | null;
  hasMore: boolean;
}

/**
 * A page of at most `limit` items. `found` was queried with `limit` + 1, so that one more says whether a page follows.
 */
export function pageOf<T>(found: T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit;
  return { shown, nextCursor: hasMore && last ? cursorOf(last) : null, hasMore };
}
