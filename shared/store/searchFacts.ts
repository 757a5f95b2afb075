import type { Client, estypes } from '@elastic/elasticsearch';
import { errors } from '../drivers/elasticsearch.js';
import { searchAlias, searchProblem } from './searchIndex.js';

/** What the search index holds. */
export interface SearchFacts {
  /** How many threads and messages it holds; null where it cannot be read. */
  documents: number | null;
  /** What is wrong with it, such as that it was made for another version, and what to do; null where nothing is. */
  problem: string | null;
  /** Whether there is an index. Where there is none, it was lost, or is not made yet. */
  exists: boolean;
}

/** The block that Elasticsearch sets when its disk is nearly full. */
const FULL_DISK = 'index.blocks.read_only_allow_delete';
const UNREADABLE =
  'Elasticsearch cannot read it, as a part of it is on no node that runs: GET /_cluster/allocation/explain there tells why';

/** Looks at the index behind the alias. `documents` is 0 where there is no index. */
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
    const problem =
      (await searchProblem(client, namespace)) ?? (await describeBlocks(client, index));
    return { documents, problem, exists: true };
  } catch (error) {
    if (isUnreadable(error)) return { documents: null, problem: UNREADABLE, exists: true };
    if (!isMissing(error)) throw error;
    return { documents: 0, problem: null, exists: false };
  }
}

/** Why the index takes no writes, and what to do; null where it takes them. */
async function describeBlocks(client: Client, index: string): Promise<string | null> {
  const found = await client.indices.getSettings({ index, name: 'index.blocks.*' });
  const names = Object.values(found).flatMap(({ settings }) =>
    Object.entries(settings?.index?.blocks ?? {})
      .filter(([, value]) => String(value) === 'true')
      .map(([name]) => `index.blocks.${name}`),
  );
  const [name] = names;
  if (name === undefined) return null;
  return names.includes(FULL_DISK)
    ? `It takes no writes (${FULL_DISK}), as the disk of Elasticsearch is nearly full: free some of it, and Elasticsearch lifts the block by itself`
    : `It takes no writes (${name}), as somebody has blocked them: set ${name} to null`;
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
  if (!exists)
    return 'It is lost: a running indexer builds it again, and notices the loss within a minute';
  return documents === 0 && pending === 0
    ? 'It holds nothing of this archive: run forum-archive reindex --search'
    : null;
}

/** Whether the index does not exist. The status 404 alone would not tell that: other web servers may give it, too. */
function isMissing(error: unknown): boolean {
  return toldBy(error)?.type === 'index_not_found_exception';
}

/** Whether the index exists, but the nodes that hold its data are away. */
function isUnreadable(error: unknown): boolean {
  return toldBy(error)?.root_cause?.[0]?.type === 'no_shard_available_action_exception';
}

/** What Elasticsearch tells of an error; undefined where something else has failed. */
function toldBy(error: unknown): estypes.ErrorCause | undefined {
  if (!(error instanceof errors.ResponseError)) return undefined;
  return (error.body as { error?: estypes.ErrorCause } | undefined)?.error;
}
