import type { Collections } from './collections.js';
import { erasedPeople, type ErasedPeople } from './erasures.js';
import { optedOut, type OptOuts } from './optOuts.js';

/** People who must not be shown: those whose erasure was requested, and those who are left out of a server. */
export interface UnshownPeople {
  readonly erased: ErasedPeople;
  readonly left: OptOuts;
  /** Whether there are no such people. */
  readonly isEmpty: boolean;
  /** Whether somebody must not be shown on a server. */
  has(serverId: string, userId: string): boolean;
}

/** Reads who must not be shown. */
export async function unshownPeople(
  collections: Pick<Collections, 'erasures' | 'optOuts' | 'state'>,
): Promise<UnshownPeople> {
  const [erased, left] = await Promise.all([erasedPeople(collections), optedOut(collections)]);
  return {
    erased,
    left,
    isEmpty: erased.isEmpty && left.isEmpty,
    has: (serverId, userId) => erased.has(userId) || left.has(serverId, userId),
  };
}
