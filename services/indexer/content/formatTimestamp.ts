const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/**
 * The instant of a Discord timestamp (unix seconds) as ISO 8601 and as text for its style, in UTC. The relative style R
 * reads as the full time, because a stored body has no present. Undefined outside the years 1 to 9999.
 */
export function formatTimestamp(
  seconds: number,
  style: string,
): { iso: string; text: string } | undefined {
  const instant = new Date(seconds * 1000);
  const year = instant.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return undefined;
  const iso = instant.toISOString();
  return { iso, text: describe(instant, iso, style) };
}

function describe(instant: Date, iso: string, style: string): string {
  const date = iso.slice(0, 10);
  const minutes = `${iso.slice(11, 16)} UTC`;
  const whole = `${iso.slice(11, 19)} UTC`;
  const month = MONTHS[instant.getUTCMonth()]!;
  const long = `${instant.getUTCDate()} ${month} ${instant.getUTCFullYear()}`;
  const texts: Record<string, string> = {
    t: minutes,
    T: whole,
    d: date,
    D: long,
    F: `${DAYS[instant.getUTCDay()]!}, ${long} ${minutes}`,
    s: `${date} ${minutes}`,
    S: `${date} ${whole}`,
  };
  return texts[style] ?? `${long} ${minutes}`;
}
