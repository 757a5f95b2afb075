import { databaseName } from '../../shared/platform/clients.js';
import { searchAlias } from '../../shared/store/searchIndex.js';
import type { Report } from './report.js';
import type { StoreUrls } from './serversFile.js';

/** What is read of the state of a node: whether it knows its indexes yet, and where their shards are. */
interface ClusterState {
  blocks: { global?: Record<string, { retryable: boolean }> };
  routing_table: { indices: Record<string, { shards: Record<string, Shard[]> }> };
}

interface Shard {
  primary: boolean;
  state: 'UNASSIGNED' | 'INITIALIZING' | 'STARTED' | 'RELOCATING';
  unassigned_info?: { allocation_status?: string; failed_attempts?: number };
}

/**
 * Whether a node that was just started has tried to open all of its indexes. It needs a moment for that. A damaged index
 * is never opened, so nobody waits for it.
 */
export async function isRecovered(url: string): Promise<boolean> {
  const { blocks, indexes } = await readIndexes(url);
  // Until this block ends, the node does not know its indexes.
  if (blocks.some(({ retryable }) => retryable)) return false;
  return indexes.every(({ primaries }) => primaries.every((one) => isOpen(one) || isDamaged(one)));
}

/**
 * Reports each damaged index, and what to do. Everything but search works without its index. No service replaces that
 * index by itself: it is there, so it does not count as lost.
 */
export async function reportDamaged(
  { ELASTICSEARCH_URL: url, MONGODB_URL }: StoreUrls,
  report: Pick<Report, 'line'>,
): Promise<void> {
  const [searched, all] = await Promise.all([
    damagedIndexes(url, searchAlias(databaseName(MONGODB_URL))),
    damagedIndexes(url),
  ]);
  for (const index of all) {
    const then = searched.includes(index)
      ? 'Search does not work, and changes wait, until it is built anew: run forum-archive reindex --search'
      : `This archive does not search it. Remove it: curl -X DELETE '${url}/${index}'`;
    report.line(`Elasticsearch cannot read the index ${index}. ${then}`);
  }
}

async function damagedIndexes(url: string, name?: string): Promise<string[]> {
  const { indexes } = await readIndexes(url, name);
  const damaged = indexes.filter(({ primaries }) => primaries.some(isDamaged));
  return damaged.map(({ index }) => index).toSorted();
}

/** Reads where the primary shards of all indexes are, or of those of one name, if there are any. */
async function readIndexes(url: string, name = '_all') {
  const path = `_cluster/state/blocks,routing_table/${name}`;
  const options = 'ignore_unavailable=true&allow_no_indices=true';
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(`${url}/${path}?${options}`, { signal });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  const { blocks, routing_table } = (await response.json()) as ClusterState;
  const indexes = Object.entries(routing_table.indices).map(([index, { shards }]) => ({
    index,
    primaries: Object.values(shards)
      .flat()
      .filter(({ primary }) => primary),
  }));
  return { blocks: Object.values(blocks.global ?? {}), indexes };
}

function isOpen({ state }: Shard): boolean {
  return state === 'STARTED' || state === 'RELOCATING';
}

/**
 * Whether a shard stays closed. Either there are no files of it that can be opened. Or opening them has failed several
 * times. Until then, Elasticsearch tries again.
 */
function isDamaged({ state, unassigned_info }: Shard): boolean {
  const { allocation_status, failed_attempts = 0 } = unassigned_info ?? {};
  if (state !== 'UNASSIGNED') return false;
  return (
    allocation_status === 'deciders_no' ||
    (allocation_status === 'no_valid_shard_copy' && failed_attempts === 0)
  );
}
