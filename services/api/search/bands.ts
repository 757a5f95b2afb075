import type { Query } from './matchTerms.js';

/** A kind of match. Its scores reach from `floor` to below `ceiling`. It ranks above all bands before it. */
interface Band {
  floor: number;
  ceiling: number;
  /** Its rank, in the numbers that Elasticsearch adds up. */
  place: number;
}

/**
 * The bands, weakest first, as docs/search.md lists them. The place of a message is the sum of the conditions that its
 * content meets (`STEP`), so Elasticsearch checks each condition once. The places of other bands lie in between.
 */
const BANDS = {
  mistyped: { place: 0, floor: 0.1, ceiling: 0.3 },
  begun: { place: 1, floor: 0.3, ceiling: 0.4 },
  scattered: { place: 2, floor: 0.4, ceiling: 0.5 },
  stretch: { place: 3, floor: 0.5, ceiling: 0.56 },
  message: { place: 4, floor: 0.56, ceiling: 0.62 },
  messageAsWritten: { place: 7, floor: 0.62, ceiling: 0.7 },
  messageNearby: { place: 9, floor: 0.7, ceiling: 0.73 },
  title: { place: 10, floor: 0.73, ceiling: 0.76 },
  messageNearbyAsWritten: { place: 12, floor: 0.76, ceiling: 0.8 },
  messagePhrase: { place: 14, floor: 0.8, ceiling: 0.84 },
  titleAsWritten: { place: 15, floor: 0.84, ceiling: 0.9 },
  titlePhrase: { place: 16, floor: 0.9, ceiling: 1 },
  wholeTitle: { place: 17, floor: 1, ceiling: 1 },
} satisfies Record<string, Band>;

export type BandName = keyof typeof BANDS;

/**
 * How many places each condition lifts a message. A phrase also stands as written and nearby, so it is lifted by all
 * three.
 */
export const STEP = { asWritten: 3, nearby: 5, phrase: 2 } as const;

/** The distance of two places in Elasticsearch's scores. It is more than the relevance of any match. */
const UNIT = 256;
/** The relevance with which a match stands in the middle of its band. */
const HALF_WAY = 4;

const byPlace: readonly Band[] = Object.values(BANDS);

/** Adds the distance of so many places to the score of everything that a query finds. */
export function lift(filter: Query, places: number): Query {
  return { constant_score: { filter, boost: places * UNIT } };
}

/** How many places one band stands above another. */
export function placesAbove(band: BandName, other: BandName): number {
  return BANDS[band].place - BANDS[other].place;
}

/**
 * Turns Elasticsearch's score into a score from 0 to 1. Elasticsearch gives (the place of the band above `lowest`) *
 * UNIT, plus the relevance s. Within the band, the score is floor + (ceiling - floor) * s / (s + 4), so it never
 * reaches the ceiling.
 */
export function scoreOf(given: number, lowest: BandName): number {
  const place = BANDS[lowest].place + Math.floor(given / UNIT);
  const { floor, ceiling } = byPlace.findLast((band) => band.place <= place) ?? BANDS.mistyped;
  const relevance = given % UNIT;
  return floor + ((ceiling - floor) * relevance) / (relevance + HALF_WAY);
}

/** The least score from Elasticsearch that `scoreOf` turns into at least this score, 0 to 1. */
export function givenFor(score: number, lowest: BandName): number {
  const band = byPlace.findLast(({ floor }) => floor <= score) ?? BANDS.mistyped;
  const { floor, ceiling, place } = band;
  const part = ceiling > floor ? (score - floor) / (ceiling - floor) : 0;
  const relevance = (HALF_WAY * part) / (1 - part);
  return Math.max(0, (place - BANDS[lowest].place) * UNIT + Math.min(relevance, UNIT - 1));
}
