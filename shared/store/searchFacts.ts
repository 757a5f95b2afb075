import type { Client } from '@elastic/elasticsearch';
import { errors } from '../drivers/elasticsearch.js';
import { searchAlias, searchProblem } from './searchIndex.js';

/** What the search index holds. */
export interface SearchFacts {
  /** How many threads and messages it holds. */
  documents: number;
  /** What is wrong with it, such as that it was made for another version, and what to do; null where nothing is. */
  problem: string | null;
  /** Whether there is an index. Where there is none, it was lost, or is not made yet. */
  exists: boolean;
}

/**
 * Looks at the index behind the alias. `documents` is 0 where there is no index, and while Elasticsearch is still
 * starting the shard of a new one.
 */
export async function readSearchFacts(client: Client, namespace: string): Promise<SearchFacts> {
  const index = searchAlias(namespace);
  const query = { terms: { kind: ['thread', 'message'] } };
  const count = async (): Promise<number> => (await client.count({ index, query })).count;
  try {
    let documents = await count();
    if (documents === 0) {
      // Without a refresh, documents that were written a moment ago are not counted.
      await client.indices.refresh({ index });
      documents = await count();
    }
    const problem = await searchProblem(client, namespace);
    return { documents, problem, exists: true };
  } catch (error) {
    if (!isNotMade(error)) throw error;
    return { documents: 0, problem: null, exists: !isMissing(error) };
  }
}

/**
 * What is wrong with the search index, and what to do; null where nothing is. An index without documents has lost them
 * if threads are listed and none is still to be built. `threads` and `pending` are null where they are not known.
 */
export function problemOf(
  { problem, documents, exists }: SearchFacts,
  { threads, pending }: { threads: number | null; pending: number | null },
): string | null {
  if (problem !== null || (threads ?? 0) === 0) return problem;
  if (!exists) return 'It is lost: a running indexer builds it again, and begins within a minute';
  return documents === 0 && pending === 0
    ? 'It holds nothing of this archive: run forum-archive reindex --search'
    : null;
}

/** Whether the index does not exist. The status 404 alone would not tell that: other web servers may give it, too. */
function isMissing(error: unknown): boolean {
  return typeOf(error) === 'index_not_found_exception';
}

function isNotMade(error: unknown): boolean {
  return isMissing(error) || typeOf(error) === 'search_phase_execution_exception';
}

function typeOf(error: unknown): string | undefined {
  if (!(error instanceof errors.ResponseError)) return undefined;
  const { error: told } = (error.body ?? {}) as { error?: { type?: string } };
  return told?.type;
}
