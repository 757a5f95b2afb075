/** A page of a list. `nextCursor` is the cursor of the next page, and null on the last one. */
export interface Page<T> {
  shown: T[];
  nextCursor: string | null;
  hasMore: boolean;
}

/**
 * Makes a page of at most `limit` items. The caller queries one item more than `limit`. If `found` holds it, another
 * page follows.
 */
export function pageOf<T>(found: T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit;
  return { shown, nextCursor: hasMore && last ? cursorOf(last) : null, hasMore };
}
