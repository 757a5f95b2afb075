import type { MessageRecord } from '../../../shared/store/records.js';
import type { Documents } from '../work/change.js';

/**
 * Marks both threads when a message moves from one to another. Worker A builds the old thread, and has read the message
 * there. Meanwhile worker B records the move. A may send the message's search document after that. So the next build of
 * the new thread sends all of its documents, with a higher version.
 */
export function markMove(
  documents: Documents,
  { threadId: from }: Pick<MessageRecord, 'threadId'>,
  { to, causes }: { to: string; causes: readonly string[] | undefined },
): void {
  documents.mark('thread', from, { causes });
  documents.mark('thread', to, { causes, whole: true });
}
