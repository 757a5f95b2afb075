import type { ThreadRecord } from '../../../shared/store/records.js';
import { findGathered } from '../../../shared/store/gather.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';
import type { ThreadItemView } from '../../../shared/store/views.js';
import { markId, NEVER } from '../../../shared/store/work.js';
import { setMarks } from '../work/claims.js';
import { readThread } from '../build/readThread.js';
import type { IndexerDeps } from '../deps.js';
import { isTransient } from '../permanentErrors.js';
import type { SearchWriter } from '../stores/searchWriter.js';
import { finish } from '../work/runMarks.js';
import { documentSender } from './documentSender.js';
import {
  removeUnshownDocuments,
  removeMessageDocuments,
  removeThreadDocuments,
} from './removeDocuments.js';

/** A thread's record, and a version that was taken before the record was read. */
export interface ReadThread {
  thread: ThreadRecord;
  version: number;
}

/**
 * Writes a thread's search documents from its records, including tombstones. These are the documents that a build of
 * the thread writes. Resolves with how many of them can be found afterwards, which are none for a quarantined thread.
 * Where writing fails, the thread is built. Where that fails, too, the build quarantines it.
 */
export async function writeThread(
  deps: IndexerDeps,
  search: SearchWriter,
  { thread, version }: ReadThread,
): Promise<number> {
  try {
    return await writeDocuments(deps, search, { thread, version });
  } catch (error) {
    if (isTransient(error)) throw error;
    await setMarks(deps, 'thread', [thread._id]);
    if (await finish(deps, 'thread', thread._id)) throw error;
    return 0;
  }
}

/** The threads among these that are not quarantined. */
export async function withoutQuarantined<T>(
  { collections: { work } }: Pick<IndexerDeps, 'collections'>,
  threads: readonly T[],
  idOf: (thread: T) => string,
): Promise<T[]> {
  const ids = threads.map((thread) => markId('thread', idOf(thread)));
  const found = await work
    .find({ _id: { $in: ids }, due: NEVER }, { projection: { subject: 1 } })
    .toArray();
  const gone = new Set(found.map(({ subject }) => subject));
  return threads.filter((thread) => !gone.has(idOf(thread)));
}

async function writeDocuments(
  deps: IndexerDeps,
  search: SearchWriter,
  { thread, version }: ReadThread,
): Promise<number> {
  const sender = documentSender(search, version);
  const [unshown, mark] = await Promise.all([
    unshownPeople(deps.collections),
    findGathered(deps.collections.work, markId('thread', thread._id)),
  ]);
  const views = await readThread(
    deps,
    thread,
    { version, unshown },
    {
      leaveOut: (messages) => removeMessageDocuments(search, messages, version),
      add: ({ documents }) => sender.add(documents),
    },
  );
  if (!views) {
    await removeThreadDocuments(deps.collections, search, thread._id, version);
    return 0;
  }
  await sender.end(views.document);
  await removeUnshownDocuments(deps.collections, search, thread._id, version);
  if (views.hasForwards || views.links.size > 0)
    await buildUnlessSame(deps, views.item, mark !== null);
  return views.document.messageCount + 1;
}

/**
 * Marks a thread to be built once more as a whole, where its last build may show something else than the new index
 * does. The build may hide another forward, or show another name of a thread or channel that the thread links to.
 * Nobody else would notice that, because whoever changes an original or a name compares it with what the last build has
 * stored.
 *
 * Either the last build has stored other hidden forwards. Or two workers build the thread at once. Worker A claims the
 * thread's mark and takes a version. Worker B takes a newer version here, reads the records, and writes the index. Then
 * the original is deleted, or what the thread links to is renamed. A reads that, and stores it. But A's documents have
 * the older version, so the index keeps those of B. In this case the thread was marked before B read its records.
 */
async function buildUnlessSame(
  deps: IndexerDeps,
  { _id, unshownForwards }: ThreadItemView,
  wasMarked: boolean,
): Promise<void> {
  const stored = await findGathered(deps.collections.threadItems, _id);
  const isSame = String(stored?.unshownForwards ?? []) === String(unshownForwards ?? []);
  if (!isSame || wasMarked) await setMarks(deps, 'thread', [_id], { whole: true });
}
