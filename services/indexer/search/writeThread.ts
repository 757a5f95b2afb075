import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { MessageDocument } from '../../../shared/store/searchIndex.js';
import type { IndexerDeps } from '../deps.js';
import { isPassing } from '../permanentErrors.js';
import { loadThread, type LoadedThread } from '../project/loadThread.js';
import { BuildFault } from '../quarantine/guardBuild.js';
import { isSetAside } from '../quarantine/tries.js';
import { raiseRevisions } from '../records/threadRevision.js';
import type { SearchWriter } from '../stores/searchWriter.js';
import { conversationText, messageDocument, threadDocument } from '../views/searchDocuments.js';
import { threadHead, threadSummary } from '../views/threadViews.js';

type Records = Pick<IndexerDeps, 'collections' | 'resolvedTags'>;

const BATCH = 500;

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
  if (isSetAside(thread)) return 0;
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
  const loaded = await loadThread(records.collections, thread, records.resolvedTags);
  if (!loaded) return removeThread(records, search, thread);
  const written = await writeLoaded(search, loaded);
  await removeMessages(records, search, thread, { deleted: true });
  return written;
}

async function writeLoaded(
  search: SearchWriter,
  { model, messages }: LoadedThread,
): Promise<number> {
  const { revision } = model.thread;
  const head = threadHead(model);
  const conversation = conversationText();
  let counted = { messages: 0, lastAt: model.first.createdAt };
  let unsent: MessageDocument[] = [];
  for await (const message of messages) {
    conversation.add(message);
    counted = { messages: counted.messages + 1, lastAt: message.createdAt };
    unsent.push(messageDocument(head, message));
    if (unsent.length < BATCH) continue;
    await search.write(unsent, revision);
    unsent = [];
  }
  const summary = threadSummary(head, model.first, counted);
  await search.write([...unsent, threadDocument(head, summary, conversation)], revision);
  return counted.messages + 1;
}

async function removeThread(
  records: Records,
  search: SearchWriter,
  thread: ThreadRecord,
): Promise<0> {
  await search.remove('thread', [thread._id], thread._id, thread.revision);
  await removeMessages(records, search, thread, { counted: true });
  return 0;
}

async function removeMessages(
  { collections }: Records,
  search: SearchWriter,
  { _id, revision }: ThreadRecord,
  which: Partial<Pick<MessageRecord, 'counted' | 'deleted'>>,
): Promise<void> {
  const removed = collections.messages.find(
    { threadId: _id, ...which },
    { projection: { _id: 1 }, batchSize: BATCH },
  );
  let ids: string[] = [];
  for await (const message of removed) {
    ids.push(message._id);
    if (ids.length < BATCH) continue;
    await search.remove('message', ids, _id, revision);
    ids = [];
  }
  await search.remove('message', ids, _id, revision);
}
