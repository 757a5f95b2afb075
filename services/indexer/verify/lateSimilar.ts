import type { Filter } from 'mongodb';
import type { Mark } from '../../../shared/store/work.js';

/** While files are imported, similar threads are looked for this late at most, and some more. */
const SIMILAR_AFTER_MS = 20 * 60_000;

/** Marks of threads whose similar ones should have been looked for by now. */
export function lateSimilar(): Filter<Mark> {
  return { kind: 'similar', at: { $lt: new Date(Date.now() - SIMILAR_AFTER_MS) } };
}
