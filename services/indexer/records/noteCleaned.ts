import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { Documents } from '../work/commit.js';

/**
 * Notes at a thread that this transaction takes erased people out of its records. Somebody asks for an erasure. Before
 * its job reads the records, worker B builds the thread and cleans them. The job then finds nothing of the person in
 * them, though the title may still hold their name. It finds the thread by this note.
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
