import type { ThreadRecord } from '../../../../shared/store/records.js';
import type { Mark } from '../../../../shared/store/work.js';

/** A thread's record, with the version of its views and its mark. */
export interface VerifiedThread extends ThreadRecord {
  /** The version of its views; 0 where it has none. */
  revision: number;
  /** The mark that it is still to be built; null where it has none. */
  mark: Mark | null;
}
