import type { SearchParams } from '../../../shared/contract/search.js';
import { WEAK_BELOW } from './buildQuery.js';
import type { ParsedQuery } from './parseQuery.js';

/** As how many more searches a costly one counts. */
export const COSTLY_MORE = 4;
/** A query of more words and phrases, or more characters, is costly however it is asked. */
export const LONG = { terms: 8, characters: 100 } as const;

/** Whether a search takes a turn and counts as several: it forgives, or is long. */
export function isCostly({ terms, text }: ParsedQuery, { minScore }: SearchParams): boolean {
  return minScore < WEAK_BELOW || isLong({ terms, text });
}

/** Whether a query is longer than what people usually ask. */
export function isLong({ terms, text }: Pick<ParsedQuery, 'terms' | 'text'>): boolean {
  return terms.length > LONG.terms || text.length > LONG.characters;
}
