import { createHash } from 'node:crypto';
import type { Stamps } from '../../../shared/store/records.js';

/** A set of fields. `stamps` tells for each field when its value was true (microseconds). */
export interface Stamped {
  fields: Record<string, unknown>;
  stamps: Stamps;
}

/**
 * Merges what a source says into what is stored, field by field. The later value wins. Of two values of the same time
 * the one with the greater JSON text wins, so that the result does not depend on the order of imports. A field that the
 * source does not tell (undefined) changes nothing. `changed` is true when a value is new. `moved` is true when a value
 * or only its time is new.
 */
export function mergeFields(
  stored: Stamped,
  told: Stamped,
): Stamped & { changed: boolean; moved: boolean } {
  const fields = { ...stored.fields };
  const stamps = { ...stored.stamps };
  let changed = false;
  let moved = false;
  for (const [name, value] of Object.entries(told.fields)) {
    const at = told.stamps[name];
    if (value === undefined || at === undefined || !wins(fields[name], stamps[name], value, at))
      continue;
    changed ||= !same(fields[name], value);
    moved = true;
    fields[name] = value;
    stamps[name] = at;
  }
  return { fields, stamps, changed, moved };
}

/** Whether a value told at `at` replaces a stored one; the same value at the same time does not. */
function wins(stored: unknown, storedAt: number | undefined, told: unknown, at: number): boolean {
  if (storedAt === undefined || at > storedAt) return true;
  return at === storedAt && canonical(told) > canonical(stored);
}

/** Whether two plain values say the same, whatever the order of their keys. */
export function same(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

/**
 * A short digest of a plain value, whatever the order of its keys. The digests of two different values of the same time
 * put them in an order.
 */
export function valueDigest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 16);
}

function canonical(value: unknown): string {
  if (value === undefined) return '';
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
