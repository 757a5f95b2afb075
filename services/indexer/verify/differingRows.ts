import { differingFields } from './differingFields.js';

/**
 * A row that is not as it must be. `problem` says how, for people. `compared` holds the stored row and the expected
 * one, where both exist.
 */
export interface DifferingRow<T> {
  row: T;
  problem: string;
  compared: T[];
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
    if (!must) found.push({ row, problem: 'must not be', compared: [] });
    const fields = must ? differingFields(row, must, leftOut) : [];
    if (must && fields.length > 0) {
      found.push({ row, problem: `differs in ${fields.join(', ')}`, compared: [row, must] });
    }
  }
  const lacking = [...missing.values()];
  return [...found, ...lacking.map((row) => ({ row, problem: 'is not there', compared: [] }))];
}
