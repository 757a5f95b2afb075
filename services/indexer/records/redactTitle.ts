import { eraseNames, textEraser } from '../../../shared/store/eraseText.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { namedIn } from '../../../shared/store/namedIn.js';
import type { SourceMessage, ThreadRecord } from '../../../shared/store/records.js';

/**
 * A thread whose title holds no ids of erased people, and none of `names`, by which such people went. A keyed hash of
 * the former title is kept, so that no source brings it back. Returns the very same object for a deleted thread, and
 * where nothing is to be taken out.
 */
export function redactTitle(
  thread: ThreadRecord,
  names: readonly string[],
  erased: ErasedPeople,
): ThreadRecord {
  const plain = textEraser(erased).text(thread.title);
  const title = eraseNames(plain, names);
  if (thread.deleted || title === thread.title) return thread;
  const hashes = new Set([...(thread.redactedTitles ?? []), erased.digest(plain)]);
  return { ...thread, title, redactedTitles: [...hashes] };
}

/** Names that some messages of a source give erased people. */
export function namesOfErased(messages: readonly SourceMessage[], erased: ErasedPeople): string[] {
  if (erased.isEmpty) return [];
  return messages
    .flatMap(namedIn)
    .filter(({ id }) => erased.has(id))
    .flatMap(({ names }) => names);
}
