import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import { applyErasures } from '../records/applyErasures.js';
import { idsIn } from '../records/eraseText.js';
import { erasedForGood } from './erasedForGood.js';

/** Tells of whom, among those who were erased, something is left. */
export interface ErasedTraces {
  inText: (text: string) => string[];
  /** In anything of a message that others wrote: a mention, a reaction, an address. */
  inMessage: (message: MessageRecord) => string[];
}

/** Looks for those who are erased by now. */
export async function erasedTraces(
  collections: Pick<Collections, 'erasures' | 'erasureState'>,
): Promise<ErasedTraces> {
  const erased = await erasedPeople(collections);
  const isErased = await erasedForGood(collections);
  const inText = (text: string): string[] => [...new Set(idsIn(text))].filter(isErased);
  return {
    inText,
    inMessage: (message) =>
      applyErasures(message, erased) === message ? [] : inText(JSON.stringify(message)),
  };
}
