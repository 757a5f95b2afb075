import { eraseNames, textEraser } from '../../../shared/store/eraseText.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { SourceMessage, ThreadRecord } from '../../../shared/store/records.js';

/**
 * A thread without erased people in its title: their ids, and these names of theirs. What the title was is remembered as
 * a keyed hash, so that no source brings it back. The very same thread where nothing of them stands in it.
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

/** Names by which some messages of a source tell of erased people: as their authors, and as whom they mention. */
export function namesOfErased(messages: readonly SourceMessage[], erased: ErasedPeople): string[] {
  if (erased.isEmpty) return [];
  return messages
    .flatMap(({ author, mentions }) => [author, ...mentions])
    .filter(({ id }) => erased.has(id))
    .flatMap(({ username, displayName }) => [username, displayName]);
}
