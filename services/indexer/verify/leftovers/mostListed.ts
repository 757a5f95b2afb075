/** The most differences that one look at leftovers gives of one kind: what bounds the memory of an archive in ruins. */
export const MOST_LISTED = 5_000;
