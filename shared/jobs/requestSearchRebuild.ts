import type { Collections } from '../store/collections.js';
import { enterRebuild, withdrawRebuild } from '../store/searchGenerations.js';
import type { Producer } from './producer.js';

/**
 * Asks for a rebuild of the search index. Returns its id and the id of its job. Throws RebuildRunning while another one
 * runs or waits. Throws the queue's error while Redis is away, and then changes nothing.
 */
export async function requestSearchRebuild(
  collections: Pick<Collections, 'state'>,
  producer: Pick<Producer, 'add'>,
): Promise<{ rebuildId: string; jobId: string }> {
  const entered = await enterRebuild(collections);
  const rebuildId = entered.id;
  try {
    return { rebuildId, jobId: await producer.add('reindex-search', { rebuildId }) };
  } catch (error) {
    await withdrawRebuild(collections, entered);
    throw error;
  }
}
