/**
 * Somebody whose traces are removed. `_id` is a keyed hash of their id: the id itself, and the names to look for, are
 * kept only until the work is done.
 */
export interface ErasureRecord {
  _id: string;
  requestedAt: Date;
  userId?: string;
  names?: string[];
  finishedAt?: Date;
}

/** The random key of the hashes, made once for an archive, and a number that rises with each erasure. */
export interface ErasureState {
  _id: 'erasures';
  salt: string;
  version: number;
}
