import type { MessageRecord } from './records.js';

/**
 * Live data ranks above every export of the same thing, whatever time the export claims. So its times are raised by
 * this: an export's are of the year 2199 at most, and a raised one is later from 2025 on. Both are exact numbers until
 * 2077.
 */
const LIVE_RANK = 5_600_000_000_000_000;
/** The end of the year 2199 (microseconds): no export is told later. */
const LAST_EXPORT = 7_258_118_400_000_000;

/** A time (microseconds since the epoch) as that of live data. */
export function liveTime(micros: number): number {
  return micros + LIVE_RANK;
}

/** Whether a time is that of live data. */
export function isLive(asOf: number): boolean {
  return asOf > LAST_EXPORT;
}

/** The time itself, of an export or of live data. */
export function realMicros(asOf: number): number {
  return isLive(asOf) ? asOf - LIVE_RANK : asOf;
}

/** Whether a source told the display name of a message's author: history tells none. */
export function tellsDisplayName({ partsAsOf }: Pick<MessageRecord, 'partsAsOf'>): boolean {
  return partsAsOf?.displayName !== 0;
}
