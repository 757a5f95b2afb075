import { findAllGathered, findGathered } from '../../../shared/store/gather.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { removeThreadDocuments } from '../search/removeDocuments.js';
import { nextVersion } from '../stores/nextVersion.js';
import { removeViews } from './buildThread.js';
import { cleanThread, cleanWords, redactWords } from './cleanRecords.js';

/**
 * Takes a thread that cannot be built out of everything that is read, as if nothing were said in it: what was deleted or
 * erased of it must not stay in views that cannot be built again. The mark stays.
 */
export async function takeOut(deps: IndexerDeps, mark: Mark): Promise<void> {
  const { collections } = deps;
  const { subject: threadId } = mark;
  const version = await nextVersion(collections.counters);
  const thread = await cleanThread(deps, threadId);
  if (thread?.deleted) await redactWords(collections, threadId);
  else await cleanWords(deps, threadId);
  const before = {
    item: await findGathered(collections.threadItems, threadId),
    contributions: await findAllGathered(collections.contributions, 'threadId', threadId),
  };
  await removeThreadDocuments(collections, deps.search, threadId, version);
  await removeViews(deps, mark, { version, before, thread }, () => undefined);
}
