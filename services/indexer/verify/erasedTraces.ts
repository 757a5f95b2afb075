import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import { applyErasures } from '../../../shared/store/applyErasures.js';
import { idsIn } from '../../../shared/store/eraseText.js';
import { unlessDamaged } from '../records/unlessDamaged.js';

/** Tells of whom, among those who were erased, something is left. Somebody whose erasure is under way is left out. */
export interface ErasedTraces {
  isErased: (userId: string) => boolean;
  /** Whether nobody was erased. */
  isEmpty: boolean;
  /** Ids in a text. */
  inText: (text: string) => string[];
  /** Ids in anything of a message: its author, a mention, a reaction, an address. */
  inMessage: (message: MessageRecord) => string[];
}

/** Looks for those who are erased by now. */
export async function erasedTraces(
  collections: Pick<Collections, 'erasures' | 'state'>,
): Promise<ErasedTraces> {
  const erased = await erasedPeople(collections);
  if (erased.isEmpty)
    return { isErased: () => false, isEmpty: true, inText: () => [], inMessage: () => [] };
  const underWay = await collections.erasures
    .find({ userId: { $exists: true } }, { projection: { userId: 1 } })
    .toArray();
  const waiting = new Set(underWay.map(({ userId }) => userId));
  const isErased = (userId: string): boolean => erased.has(userId) && !waiting.has(userId);
  const inText = (text: string): string[] => [...new Set(idsIn(text))].filter(isErased);
  return {
    isErased,
    isEmpty: false,
    inText,
    inMessage: (message) =>
      unlessDamaged(() => applyErasures(message, erased)) === message
        ? []
        : inText(JSON.stringify(message)),
  };
}
