import { forwardsOf, isGone } from '../../../shared/store/forwards.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import type { Documents } from '../work/commit.js';

/**
 * A message without what it forwards, where that was deleted or erased here; the very same message otherwise. The
 * message that it forwards is among what the change reads.
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
