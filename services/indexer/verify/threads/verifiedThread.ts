import type { ThreadRecord } from '../../../../shared/store/records.js';
import type { Mark } from '../../../../shared/store/work.js';

/** A thread's record, the version of its views (0 where it has none), and the mark that says it is to be built. */
export interface VerifiedThread extends ThreadRecord {
  revision: number;
  mark: Mark | null;
}
