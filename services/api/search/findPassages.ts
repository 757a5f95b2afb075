import { searchAlias } from '../../../shared/store/searchIndex.js';
import { searchElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import type { ParsedQuery } from './parseQuery.js';
import { passageOf, type Hit } from './presentResults.js';
import { buildPassages } from './searchRequest.js';

/**
 * A passage of each thread among some hits, by thread id, with marks: of its best message among them, else of its best
 * message in the archive. A thread of which only the title matches has none.
 */
export async function findPassages(
  deps: SearchDeps,
  parsed: ParsedQuery,
  hits: readonly Hit[],
): Promise<Map<string, string>> {
  const passages = passagesOf(hits.filter(({ _source: found }) => found?.kind === 'message'));
  const left = hits.flatMap(({ _source: found }) =>
    found?.kind === 'thread' && !passages.has(found.threadId) ? [found.threadId] : [],
  );
  if (left.length === 0) return passages;
  const { elasticsearch, namespace } = deps;
  const request = { index: searchAlias(namespace), ...buildPassages(parsed, left) };
  const best = await searchElasticsearch(deps, () =>
    elasticsearch.search<NonNullable<Hit['_source']>>(request, CALL_LIMITS),
  );
  return new Map([...passages, ...passagesOf(best.hits.hits)]);
}

/** The first passage of each thread. */
function passagesOf(hits: readonly Hit[]): Map<string, string> {
  const passages = new Map<string, string>();
  for (const hit of hits) {
    const { threadId = '' } = hit._source ?? {};
    const passage = passageOf(hit);
    if (passage !== undefined && !passages.has(threadId)) passages.set(threadId, passage);
  }
  return passages;
}
