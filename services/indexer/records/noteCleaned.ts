import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { Documents } from '../work/change.js';

/**
 * Notes in a thread's record that this transaction takes erased people out of the thread or its messages. Somebody asks
 * for an erasure. Before worker A begins the erasure's job, worker B builds the thread, and cleans its records. A then
 * finds nothing of the person in them, though the title may still hold the person's name. By this note, A finds the
 * thread.
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
