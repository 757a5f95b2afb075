import type { IndexerDeps } from '../deps.js';
import type { Difference } from './difference.js';
import type { IdWindow } from '../records/idWindow.js';

/** What a verification hands to each of its parts. */
export interface AreaContext {
  deps: IndexerDeps;
  /** Search indexes that must be complete. */
  indexes: readonly string[];
  /** Counts what was compared. */
  tally: (name: string, amount: number) => void;
}

/** A part of the archive: it is looked at in windows of ids, and again for those ids in which it differed. */
export interface Area {
  name: 'threads' | 'people' | 'servers' | 'leftovers';
  /** About how many ids it holds, for telling how far a verification has come. */
  total(): Promise<number>;
  /** Windows that together hold all there is, or some ids: each no more than may be looked at together. */
  windows(ids?: string[]): AsyncIterable<IdWindow>;
  look(window: IdWindow): Promise<Difference[]>;
}
