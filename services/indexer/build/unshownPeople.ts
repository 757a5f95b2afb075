import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import { optedOut, type OptOuts } from '../../../shared/store/optOuts.js';

/** Who must not be shown: those who were erased, and those who are left out of a server. */
export interface UnshownPeople {
  erased: ErasedPeople;
  left: OptOuts;
}

/** Who must not be shown by what is built from now on. */
export async function unshownPeople(
  collections: Pick<Collections, 'erasures' | 'optOuts' | 'state'>,
): Promise<UnshownPeople> {
  const [erased, left] = await Promise.all([erasedPeople(collections), optedOut(collections)]);
  return { erased, left };
}
