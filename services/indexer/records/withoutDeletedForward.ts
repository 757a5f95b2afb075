import { forwardsOf, isGone } from '../../../shared/store/forwards.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import type { Documents } from '../work/change.js';

/**
 * A message without the copy of the message that it forwards, where that original was deleted or erased here. Returns
 * the very same object in every other case. The change has to name the original among what it reads.
 */
export function withoutDeletedForward<T extends SourceMessage>(
  documents: Documents,
  message: T,
): T {
  const isToGo = forwardsOf([message]).some(({ originalId }) =>
    isGone(documents.get('messages', originalId)),
  );
  return isToGo ? { ...message, forwarded: null } : message;
}
