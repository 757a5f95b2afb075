/**
 * Somebody who was erased. `_id` is a keyed hash of their id. The id itself, and the names to look for, are kept only
 * until the work is done.
 */
export interface ErasureRecord {
  _id: string;
  requestedAt: Date;
  userId?: string;
  names?: string[];
  /** Keyed hashes of all names that were found. They are kept for good. */
  nameHashes?: string[];
  /** The version of the erasures at the time of the request. It is kept only until the work is done. */
  since?: number;
  finishedAt?: Date;
}
