/**
 * The most differences of one kind that one look at the leftovers reports. This bounds the memory for an archive with
 * many differences.
 */
export const MOST_LISTED = 5_000;
