/** A moment (µs) in the platform's form: with six digits after the point, or none where they are zero. */
export function isoOfMicros(micros: number): string {
  const seconds = new Date(Math.floor(micros / 1000)).toISOString().slice(0, 19);
  const rest = micros % 1_000_000;
  return `${seconds}${rest === 0 ? '' : `.${String(rest).padStart(6, '0')}`}+00:00`;
}

/** A moment (ms) in the platform's form. */
export function isoOf(ms: number): string {
  return isoOfMicros(ms * 1000);
}

/** An ISO 8601 moment in microseconds; null where the text is none. */
export function microsOfIso(text: string): number | null {
  const [, before, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const ms = before === undefined ? NaN : Date.parse(`${before}${zone ?? 'Z'}`);
  return Number.isNaN(ms) ? null : ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
