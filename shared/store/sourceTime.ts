import type { MessageRecord } from './records.js';

/**
 * What is added to the times of live data (microseconds), so that live data ranks above every export of the same thing,
 * whatever time the export claims. Times of exports end with the year 2199. A raised time is later than that from 2025
 * on. Raised times are exact numbers until 2077.
 */
const LIVE_RANK = 5_600_000_000_000_000;
/** The end of the year 2199 (microseconds since the epoch). No export has a later time. */
export const LAST_EXPORT = 7_258_118_400_000_000;

/** The raised time of live data that was read at a time (microseconds since the epoch). */
export function liveTime(micros: number): number {
  return micros + LIVE_RANK;
}

/** Whether a time is a raised one, of live data. */
export function isLive(asOf: number): boolean {
  return asOf > LAST_EXPORT;
}

/** The actual time (microseconds since the epoch), of an export or of live data. */
export function realMicros(asOf: number): number {
  return isLive(asOf) ? asOf - LIVE_RANK : asOf;
}

/**
 * Whether a source told the display name of a message's author. Live messages that were read from the history do not.
 */
export function tellsDisplayName({ partsAsOf }: Pick<MessageRecord, 'partsAsOf'>): boolean {
  return partsAsOf?.displayName !== 0;
}
