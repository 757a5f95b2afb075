import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import { applyErasures } from '../../../shared/store/applyErasures.js';
import { idsIn } from '../../../shared/store/eraseText.js';
import { unlessDamaged } from '../records/unlessDamaged.js';

/** Finds what is left of people who were erased. People whose erasure is under way do not count as erased. */
export interface ErasedTraces {
  isErased: (userId: string) => boolean;
  /** Whether nobody was erased. */
  isEmpty: boolean;
  /** The ids of erased people in a text. */
  inText: (text: string) => string[];
  /** The ids of erased people anywhere in a message: as its author, in a mention, a reaction, or an address. */
  inMessage: (message: MessageRecord) => string[];
}

/** Makes the search for traces of the people who have been erased by now. */
export async function erasedTraces(
  collections: Pick<Collections, 'erasures' | 'state'>,
): Promise<ErasedTraces> {
  const erased = await erasedPeople(collections);
  const underWay = await collections.erasures
    .find({ userId: { $exists: true } }, { projection: { userId: 1 } })
    .toArray();
  const waiting = new Set(underWay.map(({ userId }) => userId));
  const isErased = (userId: string): boolean => erased.has(userId) && !waiting.has(userId);
  const inText = (text: string): string[] => [...new Set(idsIn(text))].filter(isErased);
  return {
    isErased,
    isEmpty: erased.isEmpty,
    inText,
    inMessage: (message) =>
      unlessDamaged(() => applyErasures(message, erased)) === message
        ? []
        : inText(JSON.stringify(message)),
  };
}
