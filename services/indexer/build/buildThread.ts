import { removalCause } from '../../../shared/jobs/removalCause.js';
import { memoryBudget } from '../../../shared/platform/memoryBudget.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { MESSAGE_BATCH } from '../../../shared/store/messageBatch.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { unshownPeople, type UnshownPeople } from '../../../shared/store/unshownPeople.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { redactThread } from '../records/tombstones.js';
import { documentSender } from '../search/documentSender.js';
import {
  removeUnshownDocuments,
  removeMessageDocuments,
  removeThreadDocuments,
} from '../search/removeDocuments.js';
import { BodyWriter, writeBody } from '../stores/bodyWriter.js';
import { nextVersion } from '../stores/nextVersion.js';
import { onlyChanged } from '../stores/searchWriter.js';
import { createSentDocuments, type SentDocuments } from '../stores/sentDocuments.js';
import { toldMessages } from '../stores/toldMessages.js';
import { isStillHeld } from '../work/claims.js';
import { cleanMessages, cleanThread, cleanWords, removeIfEmptied } from './cleanRecords.js';
import { readThread } from './readThread.js';
import { storedThread } from './storedThread.js';
import { removeViews, storeViews, type BuiltThread } from './storeViews.js';

/** How the causes of erasures begin. */
const ERASURE = removalCause('erase-user', '');
/** Bounds the memory: threads that are built at the same time have at most so many messages together. */
const MESSAGES_AT_ONCE = 3_000;
/** A longer thread counts as so many messages. It is read in batches, so it holds no more of them in memory. */
const MOST_MESSAGES = 2 * MESSAGE_BATCH.items;
/** A thread that was not built before counts as so many messages. */
const UNKNOWN_MESSAGES = 60;

/**
 * Builds the marked threads. When a build fails, the other builds still run to their ends. Then the error of the first
 * mark that failed is thrown.
 */
export async function buildThreads(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const known = marks.length > 1 ? await countMessages(deps, marks) : new Map<string, number>();
  const weightOf = ({ subject }: Mark): number =>
    Math.min(known.get(subject) ?? UNKNOWN_MESSAGES, MOST_MESSAGES);
  const budget = memoryBudget(MESSAGES_AT_ONCE);
  const built = await Promise.allSettled(
    marks.map((mark) => budget.within(weightOf(mark), () => buildThread(deps, mark))),
  );
  const failed = built.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** How many messages threads held when they were last built. */
async function countMessages(
  { collections: { threadItems } }: IndexerDeps,
  marks: readonly Mark[],
): Promise<Map<string, number>> {
  const ids = marks.map(({ subject }) => subject);
  const items = await threadItems
    .find({ _id: { $in: ids } }, { projection: { 'facts.messages': 1 } })
    .toArray();
  return new Map(items.map((item) => [item._id, toldMessages(item)]));
}

/**
 * Builds a thread's views and search documents from its records as they are now. A source may have brought back what
 * was erased or deleted, so the build first takes that out of the records. One transaction then stores the views and
 * marks what follows from them. It also takes the thread's mark away, unless the thread shows something of other
 * threads (`endIfSame`). A build that has lost its claim by the time it has a version does nothing. One that loses it
 * later stores no views.
 */
async function buildThread(deps: IndexerDeps, mark: Mark): Promise<void> {
  const { collections } = deps;
  const { subject: threadId } = mark;
  const [version, before] = await Promise.all([
    nextVersion(collections.state),
    storedThread(collections, threadId),
  ]);
  const [unshown, isOurs] = await Promise.all([
    unshownPeople(collections),
    isStillHeld(deps, mark),
  ]);
  if (!isOurs) return;
  const { erased } = unshown;
  const thread = await cleanThread(deps, threadId, erased);
  if (!thread) {
    await cleanWords(deps, threadId, erased);
    return removeViews(deps, mark, { version, before, thread });
  }
  // Notices, which are not counted, are cleaned here: the build reads counted messages alone.
  if (!thread.deleted && !erased.isEmpty)
    await cleanWords(deps, threadId, erased, { counted: false });
  const sent = createSentDocuments(mark.whole ? undefined : before.sent);
  const built = thread.deleted ? null : await writeThread(deps, { thread, version, unshown, sent });
  if (built) return storeViews(deps, mark, { thread, before, built });
  const empty = thread.deleted ? thread : await emptied(deps, thread, mark, erased);
  if (empty.deleted) await redactThread(collections.messages, threadId);
  await removeThreadDocuments(collections, deps.search, threadId, version);
  await removeViews(deps, mark, { version, before, thread: empty });
}

/**
 * Cleans the records of a thread of which nothing may be shown, and returns the thread's record as it is stored then.
 * Where an erasure has led to the build, a thread that the erasure has emptied becomes a tombstone. In all other cases
 * the thread stays, since more of it may still be imported.
 */
async function emptied(
  deps: IndexerDeps,
  thread: ThreadRecord,
  mark: Mark,
  erased: ErasedPeople,
): Promise<ThreadRecord> {
  await cleanWords(deps, thread._id, erased);
  const now = (await cleanThread(deps, thread._id, erased)) ?? thread;
  const isErasing = mark.causes?.some((cause) => cause.startsWith(ERASURE));
  return isErasing ? removeIfEmptied(deps, now, mark) : now;
}

/**
 * Stores the pieces of a thread's bodies, and sends its search documents. Returns the views and bodies that the caller
 * has to store; null where nothing of the thread may be shown.
 */
async function writeThread(
  deps: IndexerDeps,
  {
    thread,
    version,
    unshown,
    sent,
  }: { thread: ThreadRecord; version: number; unshown: UnshownPeople; sent: SentDocuments },
): Promise<BuiltThread | null> {
  const { collections } = deps;
  const { _id } = thread;
  const search = onlyChanged(deps.search, sent);
  const body = new BodyWriter(collections, `thread/${_id}`, version);
  const sender = documentSender(search, version);
  try {
    const views = await readThread(
      deps,
      thread,
      { version, unshown },
      {
        begin: (opening) => body.write(opening),
        clean: (messages, erased) => cleanMessages(deps, messages, erased),
        leaveOut: (messages) => removeMessageDocuments(search, messages, version),
        async add({ documents, bodyText }) {
          await sender.add(documents);
          await body.write(bodyText());
        },
      },
    );
    if (!views) return null;
    await body.write(views.closing);
    const [whole, participants] = await Promise.all([
      body.finish(),
      writeBody(collections, `participants/${_id}`, version, views.participants),
      sender.end(views.document),
      removeUnshownDocuments(collections, search, _id, version),
    ]);
    const noted = sent.noted();
    return { views, bodies: { thread: noted ? { ...whole, sent: noted } : whole, participants } };
  } finally {
    body.abandon();
  }
}
