import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { Documents } from '../work/commit.js';
import { ERASED_ID } from './tombstones.js';

/** Says that somebody who was erased started a thread: no other person is shown as its author. */
export function disownThread(documents: Documents, threadId: string): void {
  const thread = documents.get('threads', threadId);
  if (thread && !thread.deleted) documents.put('threads', { ...thread, ownerId: ERASED_ID });
}

/**
 * Notes that somebody who was erased is taken out of what is recorded of a thread. An erasure that has not looked at the
 * thread yet finds it by this note: its title may hold a name, and what was built before may still be shown.
 */
export function noteCleaned(
  documents: Documents,
  threadId: string,
  { version }: Pick<ErasedPeople, 'version'>,
): void {
  const thread = documents.get('threads', threadId);
  if (!thread || thread.deleted || thread.cleanedFor === version) return;
  documents.put('threads', { ...thread, cleanedFor: version });
}
