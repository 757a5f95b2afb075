import type { ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { isPassing } from '../permanentErrors.js';
import { readThread } from '../project/readThread.js';
import { BuildFault } from '../quarantine/guardBuild.js';
import { isQuarantined } from '../quarantine/tries.js';
import { raiseRevisions } from '../records/threadRevision.js';
import type { SearchWriter } from '../stores/searchWriter.js';
import { documentSender } from './documentSender.js';
import { removeDeletedDocuments, removeThreadDocuments } from './removeDocuments.js';

type Records = Pick<IndexerDeps, 'collections' | 'resolvedTags'>;

/**
 * Writes a thread's search documents from its records, tombstones included, at the record's revision: what a
 * projection of it writes, without the rest. `thread` must have been read before this is called. Gives how many
 * documents can be found afterwards: none of a thread that was set aside. Throws BuildFault for one that cannot be
 * built, having marked it: the sweep tries it again, and sets it aside in the end.
 */
export async function writeThread(
  records: Records,
  search: SearchWriter,
  thread: ThreadRecord,
): Promise<number> {
  if (isQuarantined(thread)) return 0;
  try {
    return await writeDocuments(records, search, thread);
  } catch (error) {
    if (isPassing(error)) throw error;
    await raiseRevisions(records.collections.threads, [thread._id]);
    throw new BuildFault(`Thread ${thread._id} could not be built`, { cause: error });
  }
}

async function writeDocuments(
  records: Records,
  search: SearchWriter,
  thread: ThreadRecord,
): Promise<number> {
  const sender = documentSender(search, thread.revision);
  const views = await readThread(records, thread, {
    add: ({ documents }) => sender.add(documents),
  });
  if (!views) {
    await removeThreadDocuments(records.collections, search, thread);
    return 0;
  }
  await sender.end(views.document);
  await removeDeletedDocuments(records.collections, search, thread);
  return views.document.messageCount + 1;
}
