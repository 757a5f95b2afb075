import { searchIndex, type SearchDeps } from './askElasticsearch.js';
import type { ParsedQuery } from './parseQuery.js';
import { passageOf, type Hit } from './presentResults.js';
import { buildPassages } from './searchRequest.js';

/**
 * Finds a passage with marks for each thread among some hits, by thread id. It comes from the thread's best message
 * among the hits, else from its best message in the archive. A thread has none where only its title matches.
 */
export async function findPassages(
  deps: SearchDeps,
  parsed: ParsedQuery,
  hits: readonly Hit[],
): Promise<Map<string, string>> {
  const passages = new Map<string, string>();
  const without = new Set<string>();
  for (const { _source: found } of hits) if (found?.kind === 'thread') without.add(found.threadId);
  const keep = (threadId: string, message: Pick<Hit, 'highlight'>): void => {
    const passage = without.has(threadId) ? passageOf(message) : undefined;
    if (passage === undefined) return;
    passages.set(threadId, passage);
    without.delete(threadId);
  };
  for (const hit of hits) if (hit._source?.kind === 'message') keep(hit._source.threadId, hit);
  if (without.size === 0) return passages;
  const best = await searchIndex(deps, buildPassages(parsed, [...without]));
  // Each hit has the field by which the hits are collapsed.
  for (const hit of best.hits.hits) keep((hit.fields as { threadId: [string] }).threadId[0], hit);
  return passages;
}
