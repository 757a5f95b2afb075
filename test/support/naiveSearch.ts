import type { MessageDocument, ThreadDocument } from '../../shared/store/searchIndex.js';

/**
 * Finds out what search must find by reading every text. It uses no index, no engine, and none of the service's own
 * code.
 */

/** The words of a text: letters and digits, ignoring case, accents and width. An apostrophe within a word is kept. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  return plain.match(/[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Whether two words may be forms of one word: they are equal as far as no English ending could reach. */
export function mayBeForms(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  const needed = Math.max(Math.min(3, shorter), shorter - 4);
  return one.slice(0, needed) === other.slice(0, needed);
}

/** Whether a text may hold a word in some form, or as part of a longer sign, such as `c` in `c++`. */
export function mayHold(text: string, word: string): boolean {
  return wordsOf(text)
    .flatMap((held) => [held, ...held.split(/['’]/)])
    .some((held) => mayBeForms(held, word));
}

/** Whether a text holds these words in a row, as written. */
export function holdsPhrase(text: string, phrase: readonly string[]): boolean {
  return ` ${wordsOf(text).join(' ')} `.includes(` ${phrase.join(' ')} `);
}

/** All texts by which a document may match. */
export function textsOf(document: ThreadDocument | MessageDocument): string[] {
  return document.kind === 'thread'
    ? document.stretches.flatMap((stretch) => stretch.text)
    : [document.title, document.content];
}
