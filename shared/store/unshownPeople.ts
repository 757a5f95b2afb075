import type { Collections } from './collections.js';
import { erasedPeople, type ErasedPeople } from './erasures.js';
import { optedOut, type OptOuts } from './optOuts.js';

/** People who must not be shown: those whose erasure was asked for, and those who are left out of a server. */
export interface UnshownPeople {
  readonly erased: ErasedPeople;
  readonly left: OptOuts;
  /** Whether there is nobody who must not be shown. */
  readonly isEmpty: boolean;
  /** Whether somebody must not be shown on a server. */
  has(serverId: string, userId: string): boolean;
}

/** The people who must not be shown from now on. */
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
