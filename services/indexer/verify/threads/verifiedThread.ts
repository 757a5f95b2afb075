import type { ThreadRecord } from '../../../../shared/store/records.js';
import type { Mark } from '../../../../shared/store/work.js';

/** A thread's record, with what is stored beside it. */
export interface VerifiedThread extends ThreadRecord {
  /** The version of its views; 0 where it has none. */
  revision: number;
  /** Says that it is still to be built; null where nothing is left to do. */
  mark: Mark | null;
}
