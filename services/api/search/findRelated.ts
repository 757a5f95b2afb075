import type { SearchParams } from '../../../shared/contract/search.js';
import { searchIndex, type SearchDeps } from './askElasticsearch.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';
import type { Hit } from './presentResults.js';
import { heaviest, type Telling } from './relatedRequest.js';
import { buildRelated } from './searchRequest.js';
import { weighTerms } from './weighTerms.js';

/** Where the first page has a result with at least this score, related matches are not looked for. */
const STRONG = 0.7;

/** Whether related matches are to be looked for: on the first page, where no match of all terms is strong. */
export function needsRelated(
  { terms }: Pick<ParsedQuery, 'terms'>,
  { offset }: SearchParams,
  { total, best }: { total: number; best: number },
): boolean {
  // Of several terms, some can be left out. A single term that was not found may have other spellings.
  const hasLess = terms.length > 1 || total === 0;
  return best < STRONG && hasLess && offset === 0;
}

/** Related matches of a query, best first, and its telling terms with their spellings. */
export interface Related {
  hits: Hit[];
  terms: SearchTerm[];
}

/**
 * Finds threads and messages that hold telling terms of a query, at most `limit` together. Threads in `shown` are left
 * out.
 */
export async function findRelated(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
  shown: readonly string[],
): Promise<Related> {
  const telling = await weighTerms(deps, parsed, shown.length === 0);
  const terms = telling.map(({ term, joined }) => ({
    ...term,
    alternatives: [...(term.alternatives ?? []), ...joined],
  }));
  if (telling.length === 0) return { hits: [], terms };
  const ask = async (needed: readonly Telling[]): Promise<Hit[]> => {
    const words = { telling, needed };
    const request = buildRelated(words, { ...parsed, terms }, params, shown);
    const { hits } = await searchIndex<NonNullable<Hit['_source']>>(deps, request);
    return hits.hits;
  };
  const needed = heaviest(telling);
  const hits = await ask(needed);
  // Terms are weighed over the whole archive. The filters may leave nothing that holds one of the needed terms. Then
  // any of the telling terms will do.
  const isLeft = hits.length + shown.length === 0 && needed.length < telling.length;
  return { hits: isLeft ? await ask(telling) : hits, terms };
}
