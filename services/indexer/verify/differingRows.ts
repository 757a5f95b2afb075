import { differingFields } from './differingFields.js';

/**
 * A difference between the stored rows and the expected ones. `stored` is undefined where the row is missing, and
 * `expected` where it must not exist. `problem` says in words what is wrong.
 */
export interface DifferingRow<T> {
  stored: T | undefined;
  expected: T | undefined;
  problem: string;
}

/**
 * Compares stored rows with the expected ones. The fields `leftOut` are ignored. Returns the rows that differ, that
 * must not exist, or that are missing.
 */
export function differingRows<T extends { _id: string }>(
  stored: readonly T[],
  expected: readonly T[],
  leftOut: readonly string[],
): DifferingRow<T>[] {
  const missing = new Map(expected.map((row) => [row._id, row]));
  const found: DifferingRow<T>[] = [];
  for (const row of stored) {
    const must = missing.get(row._id);
    missing.delete(row._id);
    const fields = must ? differingFields(row, must, leftOut) : [];
    if (must && fields.length === 0) continue;
    const problem = must ? `differs in ${fields.join(', ')}` : 'must not be';
    found.push({ stored: row, expected: must, problem });
  }
  const lacking = [...missing.values()].map((row) => {
    return { stored: undefined, expected: row, problem: 'is not there' };
  });
  return [...found, ...lacking];
}
