/** What `delete` removes. */
export const PLACE_KINDS = ['thread', 'channel', 'server'] as const;

/** One of them. */
export type PlaceKind = (typeof PLACE_KINDS)[number];
