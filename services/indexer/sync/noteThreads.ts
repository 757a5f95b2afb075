import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation } from 'mongodb';
import { idKey } from '../../../shared/store/listKeys.js';
import { realMicros } from '../../../shared/store/sourceTime.js';
import { syncOf, type SyncThread, type SyncTodo } from '../../../shared/store/syncRecords.js';
import { ingest } from '../ingest/ingest.js';
import type { LiveThread } from '../../../shared/discordApi/answerTypes.js';
import { tieOf } from '../records/mergeFields.js';
import { liveThread } from '../sources/liveHeader.js';
import { noMessages } from './loadServer.js';
import type { LoadedServer, SyncDeps, ToldThreads } from './syncDeps.js';

/** Public threads; private ones are of another type. */
const PUBLIC_TYPES = new Set([10, 11]);
/** Threads recorded at once. */
const AT_ONCE = 50;

/**
 * Records what an answer tells of threads, and notes which messages are to be fetched. A thread of which it tells
 * nothing new is not written. `again`: all its messages are to be read once more.
 */
export async function noteThreads(
  deps: SyncDeps,
  server: LoadedServer,
  { threads, asOf }: ToldThreads,
  again = false,
): Promise<void> {
  const syncThreads = syncOf(deps.collections.sync, 'thread');
  const kept = threads.filter(
    ({ type, parent_id: channelId }) => PUBLIC_TYPES.has(type) && server.channels.has(channelId),
  );
  const found = await syncThreads.find({ _id: { $in: kept.map(({ id }) => id) } }).toArray();
  const known = new Map(found.map((one) => [one._id, one]));
  for (let at = 0; at < kept.length; at += AT_ONCE) {
    const group = kept.slice(at, at + AT_ONCE);
    const writes = await Promise.all(
      group.map((thread) =>
        noteThread(deps, server, { thread, asOf, again, known: known.get(thread.id) }),
      ),
    );
    const operations = writes.filter((write) => write !== null);
    if (operations.length > 0) await syncThreads.bulkWrite(operations, { ordered: false });
  }
}

interface Noted {
  thread: LiveThread;
  asOf: number;
  again: boolean;
  known: SyncThread | undefined;
}

async function noteThread(
  deps: SyncDeps,
  server: LoadedServer,
  { thread, asOf, again, known }: Noted,
): Promise<AnyBulkWriteOperation<SyncThread> | null> {
  // An answer that was asked for earlier tells nothing that is not known.
  if (known && known.asOf >= asOf) return null;
  const told = liveThread(thread, server.serverId);
  const digest = tieOf(told);
  const isNew = known?.digest !== digest;
  const wanted = again ? 'all' : todoOf(thread, known);
  if (!isNew && !wanted) return null;
  const recorded = again || !known || !wanted ? null : await allRecorded(deps, thread, known);
  const todo = recorded ? null : wanted;
  if (isNew) {
    const channel = server.channels.get(told.channelId)!;
    const { isDeleted } = await ingest(
      deps,
      { told: { asOf, server: server.told, channel, thread: told } },
      noMessages(),
    );
    if (isDeleted) return null;
  }
  return {
    updateOne: {
      // One that was noted anew meanwhile is left as it is: the next list tells what is missing.
      filter: { _id: thread.id, kind: 'thread', ...(known && { asOf: known.asOf }) },
      update: {
        $set: {
          ...countsOf(thread),
          ...{ digest, asOf, serverId: server.serverId, channelId: told.channelId },
          ...startOf(todo, known),
          ...recorded,
        },
        $setOnInsert: { ...(!known && todo !== 'all' && { after: '0', fetched: 0 }) },
        ...(todo && { $unset: { dueAt: '', problem: '', ...(todo === 'all' && { since: '' }) } }),
      },
      upsert: !known,
    },
  };
}

/**
 * Where events have told of all that came since the thread was last listed, nothing is to be fetched: the last message
 * is recorded, and as many as the platform counts. Gives how far it is recorded; null where something may be missing.
 */
async function allRecorded(
  { collections: { messages }, listening }: SyncDeps,
  thread: LiveThread,
  known: SyncThread,
): Promise<Pick<SyncThread, 'after' | 'fetched'> | null> {
  const isSince = listening.since && realMicros(known.asOf) >= listening.since.getTime() * 1_000;
  const { messageCount, lastMessageId } = countsOf(thread);
  if (!isSince || known.todo || lastMessageId === null) return null;
  const last = await messages.findOne({ _id: lastMessageId, threadId: thread.id });
  if (!last) return null;
  const replies = { threadId: thread.id, _id: { $ne: thread.id }, deleted: { $ne: true } };
  if ((await messages.countDocuments(replies)) !== messageCount) return null;
  return { after: lastMessageId, fetched: messageCount + 1 };
}

/** What is to be fetched: of one that is to be read whole, everything from the first message on. */
function startOf(todo: SyncTodo | null, known: SyncThread | undefined): Partial<SyncThread> {
  if (todo === null) return {};
  const token = randomUUID();
  if (todo === 'all') return { todo, token, after: '0', fetched: 0 };
  // One that is being read whole goes on so.
  return { todo: known?.todo ?? todo, token };
}

function countsOf(thread: LiveThread) {
  const lastMessageId = thread.last_message_id ?? null;
  return {
    messageCount: thread.message_count ?? 0,
    totalSent: thread.total_message_sent ?? 0,
    lastMessageId,
    recent: idKey(lastMessageId ?? thread.id),
  };
}

/** What the counts of a thread say is to be fetched; null for nothing. */
function todoOf(thread: LiveThread, known: SyncThread | undefined): SyncTodo | null {
  if (!known) return 'new';
  const now = countsOf(thread);
  const sent = now.totalSent - known.totalSent;
  // More are gone than came.
  if (now.messageCount - known.messageCount < sent) return 'all';
  return sent > 0 || now.lastMessageId !== known.lastMessageId ? 'new' : null;
}
