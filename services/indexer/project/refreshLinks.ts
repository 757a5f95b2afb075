import type { Collections } from '../../../shared/store/collections.js';
import { findAllGathered } from '../../../shared/store/gather.js';
import { raiseRevisions } from '../records/threadRevision.js';

/**
 * Has the threads that link to a thread or channel built again: they show its name, or an outside address while it is
 * not in the archive. Called after what they are to find is stored.
 */
export async function refreshLinks(
  { threadItems, threads }: Pick<Collections, 'threadItems' | 'threads'>,
  targetId: string,
): Promise<void> {
  const linking = await findAllGathered(threadItems, 'linksTo', targetId, { fields: ['_id'] });
  const others = linking.map(({ _id }) => _id).filter((id) => id !== targetId);
  await raiseRevisions(threads, others);
}
