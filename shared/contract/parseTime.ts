const TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Milliseconds since the epoch of an ISO date or time; without a zone it is UTC. `t` and `z` may be written small, as
 * RFC 3339 allows. NaN when it is none.
 */
export function parseTime(text: string): number {
  const [, date, time, zone] = TIME.exec(text.toUpperCase()) ?? [];
  if (date === undefined || (zone !== undefined && time === undefined)) return NaN;
  const day = Date.parse(`${date}T00:00Z`);
  // JavaScript takes 31 February for 3 March.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return NaN;
  return Date.parse(`${date}${time ?? 'T00:00'}${zone ?? 'Z'}`);
}
