/** The kinds of things that `delete` removes. */
export const PLACE_KINDS = ['thread', 'channel', 'server'] as const;

export type PlaceKind = (typeof PLACE_KINDS)[number];
