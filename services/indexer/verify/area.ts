import type { IndexerDeps } from '../deps.js';
import type { Difference } from './difference.js';
import type { IdWindow } from '../records/idWindow.js';

/** What a verification gives to each of its areas. */
export interface AreaContext {
  deps: IndexerDeps;
  /** The search indexes that must be complete. */
  indexes: readonly string[];
  /** Adds to the count of things of this name that were compared. */
  tally: (name: string, amount: number) => void;
}

/**
 * A part of the archive. A verification looks at it in windows of ids, and once more at the ids in which it found a
 * difference.
 */
export interface Area {
  name: 'threads' | 'people' | 'servers' | 'leftovers';
  /** Resolves with about how many ids the area has, to tell how far a verification has come. */
  total(): Promise<number>;
  /**
   * The windows to look at. Together they hold all ids of the area, or the given ones. Each holds no more ids than may
   * be looked at together.
   */
  windows(ids?: string[]): AsyncIterable<IdWindow>;
  /** Resolves with what differs in a window. */
  look(window: IdWindow): Promise<Difference[]>;
}
