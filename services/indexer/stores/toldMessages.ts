import type { ThreadFacts } from '../../../shared/store/views.js';

/** What is read of a stored list item. Where it is damaged, any part may be missing. */
interface StoredItem {
  facts?: Partial<ThreadFacts> | null;
}

/** How many messages a stored list item tells; 0 where the item is damaged. Verification finds such an item. */
export function toldMessages({ facts }: StoredItem): number {
  return Number(facts?.messages) || 0;
}
