import type { Client } from '@elastic/elasticsearch';
import { errors } from '../drivers/elasticsearch.js';
import { searchAlias, searchProblem } from './searchIndex.js';

/** What the search index holds. */
export interface SearchFacts {
  /** Threads and messages in it. */
  documents: number;
  /** What is wrong with it (made for another version), and what to do; null for nothing. */
  problem: string | null;
  /** Whether there is no index, or nothing in it. */
  isEmpty: boolean;
}

/** Looks at the index behind the alias. There is none before it is made, and it holds none while its first shard starts. */
export async function readSearchFacts(client: Client, namespace: string): Promise<SearchFacts> {
  const index = searchAlias(namespace);
  const query = { terms: { kind: ['thread', 'message'] } };
  const count = async (): Promise<number> => (await client.count({ index, query })).count;
  try {
    let documents = await count();
    if (documents === 0) {
      // What was written a moment ago is not counted before.
      await client.indices.refresh({ index });
      documents = await count();
    }
    const problem = await searchProblem(client, namespace);
    return { documents, problem, isEmpty: documents === 0 };
  } catch (error) {
    if (!isNotMade(error)) throw error;
    return { documents: 0, problem: null, isEmpty: isMissing(error) };
  }
}

/**
 * What is wrong with the search index, and what to do; null for nothing. An empty index has lost what it held when
 * threads are listed and none is still to be built. Null stands for a number that is not known.
 */
export function problemOf(
  { problem, isEmpty }: SearchFacts,
  { threads, pending }: { threads: number | null; pending: number | null },
): string | null {
  if (problem !== null) return problem;
  return isEmpty && (threads ?? 0) > 0 && pending === 0 ? LOST : null;
}

const LOST = 'It holds nothing of this archive: run forum-archive reindex --search';

function isMissing(error: unknown): boolean {
  return error instanceof errors.ResponseError && error.statusCode === 404;
}

function isNotMade(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return false;
  const { error: told } = (error.body ?? {}) as { error?: { type?: string } };
  return isMissing(error) || told?.type === 'search_phase_execution_exception';
}
