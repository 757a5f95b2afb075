/**
 * Somebody whose traces are removed. `_id` is a keyed hash of their id: the id itself, and the names to look for, are
 * kept only until the work is done.
 */
export interface ErasureRecord {
  _id: string;
  requestedAt: Date;
  userId?: string;
  names?: string[];
  /** Keyed hashes of all names that were found. They stay. */
  nameHashes?: string[];
  /** The version of the erasures when it was asked for. It is kept only until the work is done, too. */
  since?: number;
  finishedAt?: Date;
}
