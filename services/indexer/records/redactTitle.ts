import { eraseNames, textEraser } from '../../../shared/store/eraseText.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { namedIn } from '../../../shared/store/namedIn.js';
import type { SourceMessage, ThreadRecord } from '../../../shared/store/records.js';
import type { Documents } from '../work/change.js';

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
  return thread.deleted || title === thread.title ? thread : withTitle(thread, title, erased);
}

/** A thread with another title. A keyed hash of the former title is kept, so that no source brings it back. */
export function withTitle(thread: ThreadRecord, title: string, erased: ErasedPeople): ThreadRecord {
  const hashes = new Set([...(thread.redactedTitles ?? []), titleHash(thread.title, erased)]);
  return { ...thread, title, redactedTitles: [...hashes] };
}

/**
 * A keyed hash of a title. All ids are taken out before. Otherwise the title that a source tells would have another hash
 * once somebody else was erased whose id it holds.
 */
export function titleHash(title: string, erased: ErasedPeople): string {
  return erased.digest(textEraser({ ...erased, has: () => true }).text(title));
}

/**
 * Takes names of erased people out of the title of a thread's record. The archive keeps no such names, but messages tell
 * them. Returns whether the title held one. The change must read the thread.
 */
export function redactTitleOf(
  documents: Documents,
  threadId: string,
  names: readonly string[],
  erased: ErasedPeople,
): boolean {
  const thread = names.length > 0 ? documents.get('threads', threadId) : null;
  const redacted = thread && redactTitle(thread, names, erased);
  if (!redacted || redacted === thread) return false;
  documents.put('threads', redacted);
  return true;
}

/** Names that some messages give erased people. */
export function namesOfErased(messages: readonly SourceMessage[], erased: ErasedPeople): string[] {
  if (erased.isEmpty) return [];
  return messages
    .flatMap(namedIn)
    .filter(({ id }) => erased.has(id))
    .flatMap(({ names }) => names);
}
