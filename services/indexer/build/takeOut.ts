import { erasedPeople } from '../../../shared/store/erasures.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { redactThread } from '../records/tombstones.js';
import { removeThreadDocuments } from '../search/removeDocuments.js';
import { nextVersion } from '../stores/nextVersion.js';
import { isStillHeld } from '../work/claims.js';
import { cleanThread, cleanWords } from './cleanRecords.js';
import { storedThread } from './storedThread.js';
import { removeViews } from './storeViews.js';

/**
 * Removes the views and search documents of a thread whose build fails every time, after something of it was deleted,
 * erased, withheld or left out. Its last views still show that, and no build can replace them. The thread's mark stays.
 * Nothing happens where the claim was lost.
 */
export async function takeOut(deps: IndexerDeps, mark: Mark): Promise<void> {
  const { collections } = deps;
  const { subject: threadId } = mark;
  const version = await nextVersion(collections.state);
  if (!(await isStillHeld(deps, mark))) return;
  const erased = await erasedPeople(collections);
  const thread = await cleanThread(deps, threadId, erased);
  if (thread?.deleted) await redactThread(collections.messages, threadId);
  else await cleanWords(deps, threadId, erased);
  const before = await storedThread(collections, threadId);
  await removeThreadDocuments(collections, deps.search, threadId, version);
  await removeViews(deps, mark, { version, before, thread }, () => undefined);
}
