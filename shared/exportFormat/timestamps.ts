const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:\d\d)$/;
/** The last year of times that are kept as moments. An export of a later time is wrong. */
export const LAST_YEAR = 2199;

/**
 * Whether a text is an ISO 8601 time with an offset, in the years 1 to `lastYear`. The year of the moment in UTC
 * counts, because times are kept and written in UTC.
 */
export function isTimestamp(text: string, lastYear = LAST_YEAR): boolean {
  if (!SHAPE.test(text)) return false;
  // The year of an invalid time is NaN.
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= lastYear;
}

/** The moment of a checked timestamp, cut to milliseconds. */
export function timestampToDate(text: string): Date {
  return new Date(Math.floor(timestampToMicros(text) / 1_000));
}

/** The moment of a checked timestamp. Null where there is none, and for the year 1, which exporters write for none. */
export function timestampToDateOrNull(text: string | null | undefined): Date | null {
  if (!text) return null;
  const date = timestampToDate(text);
  return date.getUTCFullYear() === 1 ? null : date;
}

/** The moment of a checked timestamp in microseconds since the epoch. Further digits are cut off. */
export function timestampToMicros(text: string): number {
  const digits = (SHAPE.exec(text)?.[1] ?? '').padEnd(6, '0').slice(0, 6);
  const second = Date.parse(text.replace(/\.\d+/, ''));
  return second * 1_000 + Number(digits);
}

/** The same, or null where there is none, and for the year 1. */
export function timestampToMicrosOrNull(text: string | null | undefined): number | null {
  return text && timestampToDateOrNull(text) ? timestampToMicros(text) : null;
}

/** Microseconds since the epoch as a UTC timestamp with the seven digits that exporters write. */
export function microsToTimestamp(micros: number): string {
  const millis = Math.floor(micros / 1_000);
  const rest = String(micros - millis * 1_000).padStart(3, '0');
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}0+00:00`;
}

/** A Date as a UTC timestamp in the form that the exporter writes. */
export function dateToTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, -1)}+00:00`;
}
