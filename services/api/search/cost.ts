import type { SearchParams } from '../../../shared/contract/search.js';
import { WEAK_BELOW } from './buildQuery.js';
import type { ParsedQuery } from './parseQuery.js';

/** How many further searches a costly search counts as. */
export const COSTLY_MORE = 4;
/** A query with more terms or more characters is costly, however it is asked. */
const LONG = { terms: 8, characters: 100 } as const;

/** Whether a search takes turns and counts as several: it looks for weak matches, or is long. */
export function isCostly({ terms, text }: ParsedQuery, { minScore }: SearchParams): boolean {
  return minScore < WEAK_BELOW || isLong({ terms, text });
}

/** Whether a query is longer than people's queries usually are. */
export function isLong({ terms, text }: Pick<ParsedQuery, 'terms' | 'text'>): boolean {
  return terms.length > LONG.terms || text.length > LONG.characters;
}
