import type { Documents } from '../work/change.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';

/** Notes in a thread's record that an erased person started it, so that nobody is shown as its author. */
export function disownThread(documents: Documents, threadId: string): void {
  const thread = documents.get('threads', threadId);
  if (thread && !thread.deleted) documents.put('threads', { ...thread, ownerId: ERASED_ID });
}
