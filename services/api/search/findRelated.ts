import type { SearchParams } from '../../../shared/contract/search.js';
import { searchIndex, type SearchDeps } from './askElasticsearch.js';
import { buildExclusion } from './buildQuery.js';
import type { Found } from './findPage.js';
import type { Query } from './matchTerms.js';
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
 * Finds threads and messages that hold telling terms of a query, at most `limit` together. Threads on the first page of
 * results, `found`, are left out, and so are the results of all further pages.
 */
export async function findRelated(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
  found: Found,
): Promise<Related> {
  const excluded = excludedFor(parsed, params, found);
  const isNothingFound = found.hits.length === 0;
  const telling = await weighTerms(deps, parsed, isNothingFound);
  const terms = telling.map(({ term, joined }) => ({
    ...term,
    alternatives: [...(term.alternatives ?? []), ...joined],
  }));
  if (telling.length === 0) return { hits: [], terms };
  const ask = async (needed: readonly Telling[]): Promise<Hit[]> => {
    const words = { telling, needed };
    const request = buildRelated(words, { ...parsed, terms }, params, excluded);
    const { hits } = await searchIndex<NonNullable<Hit['_source']>>(deps, request);
    return hits.hits;
  };
  const needed = heaviest(telling);
  const hits = await ask(needed);
  // Terms are weighed over the whole archive. The filters may leave nothing that holds one of the needed terms. Then
  // any of the telling terms will do.
  const isLeft = isNothingFound && hits.length === 0 && needed.length < telling.length;
  return { hits: isLeft ? await ask(telling) : hits, terms };
}

/** Finds the threads on the first page of results, and where there are further pages, what is found on these. */
function excludedFor(parsed: ParsedQuery, params: SearchParams, found: Found): Query[] {
  const shown = found.hits.flatMap(({ _source: document }) => document?.threadId ?? []);
  if (shown.length === 0) return [];
  const onPage = { terms: { threadId: [...new Set(shown)] } };
  const isAll = found.threadCount + found.messageCount <= found.hits.length;
  return isAll ? [onPage] : [onPage, buildExclusion(parsed, params)];
}
