import type { Collections } from '../../../shared/store/collections.js';
import type { ErasureRecord } from '../../../shared/store/erasureRecords.js';
import { unshownPeople, type UnshownPeople } from '../../../shared/store/unshownPeople.js';
import { createFindPlace, type FindPlace } from './findPlace.js';

/** People of whom a file must not tell. */
export interface UnseenPeople {
  unshown: UnshownPeople;
  /** Erasures that are requested, but not done. Once an erasure is done, no title holds the person's names. */
  pending: readonly ErasureRecord[];
}

type Store = Pick<Collections, 'erasures' | 'optOuts' | 'state'>;

/**
 * Gives the records of some pages, one by one. Who must not be seen is read anew for each page, and so are the places
 * that `findPlace` finds.
 */
export async function* withUnseen<T>(
  collections: Store & Pick<Collections, 'servers' | 'channels'>,
  pages: AsyncIterable<T[]>,
): AsyncGenerator<{ record: T; unseen: UnseenPeople; findPlace: FindPlace }> {
  for await (const page of pages) {
    const unseen = await unseenPeople(collections);
    const findPlace = createFindPlace(collections);
    for (const record of page) yield { record, unseen, findPlace };
  }
}

async function unseenPeople(collections: Store): Promise<UnseenPeople> {
  const unshown = await unshownPeople(collections);
  const pending = unshown.erased.isEmpty
    ? []
    : await collections.erasures.find({ userId: { $exists: true } }).toArray();
  return { unshown, pending };
}
