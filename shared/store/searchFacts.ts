import type { Client } from '@elastic/elasticsearch';
import { errors } from '../drivers/elasticsearch.js';
import { searchAlias, searchProblem } from './searchIndex.js';

/** What the search index holds. */
export interface SearchFacts {
  /** Threads and messages in it. */
  documents: number;
  /** What is wrong with it (made for another version), and what to do; null for nothing. */
  problem: string | null;
  /** Whether there is an index. One is lost, or not made yet, where there is none. */
  exists: boolean;
}

/**
 * Looks at the index behind the alias. Gives no documents where there is no index, and while Elasticsearch still starts
 * the shard of a new one.
 */
export async function readSearchFacts(client: Client, namespace: string): Promise<SearchFacts> {
  const index = searchAlias(namespace);
  const query = { terms: { kind: ['thread', 'message'] } };
  const count = async (): Promise<number> => (await client.count({ index, query })).count;
  try {
    let documents = await count();
    if (documents === 0) {
      // Without a refresh, what was written a moment ago is not counted.
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
 * What is wrong with the search index, and what to do; null for nothing. While no thread is still to be built, an index
 * without documents has lost those of the threads that are listed. Null stands for a number that is not known.
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

/** A web server that is no Elasticsearch may answer with 404, too. So the status alone tells nothing. */
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
