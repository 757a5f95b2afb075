import { isDeepStrictEqual } from 'node:util';

/** Returns the names of the fields in which two documents differ. The fields `leftOut` are ignored. */
export function differingFields(
  stored: object,
  expected: object,
  leftOut: readonly string[] = [],
): string[] {
  const left = stored as Record<string, unknown>;
  const right = expected as Record<string, unknown>;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].filter(
    (name) => !leftOut.includes(name) && !isDeepStrictEqual(left[name], right[name]),
  );
}
