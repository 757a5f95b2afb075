import { randomUUID } from 'node:crypto';
import { batches } from '../../../shared/platform/batches.js';
import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import { eraseThread } from '../../../shared/store/eraseThread.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { realMicros } from '../../../shared/store/sourceTime.js';
import {
  NOTHING_FETCHED,
  syncOf,
  type SyncThread,
  type SyncTodo,
} from '../../../shared/store/syncRecords.js';
import { ingest } from '../ingest/ingest.js';
import { DeletedPlace, SourceConflict } from '../ingest/source.js';
import type { LiveThread } from '../../../shared/discordApi/answerTypes.js';
import { isPublicThread } from '../../../shared/discordApi/judgeChannel.js';
import { tieOf } from '../records/mergeFields.js';
import { liveThread, type ChannelThread } from '../sources/liveHeader.js';
import type { Documents } from '../work/commit.js';
import type { LoadedServer, SyncDeps, ToldThreads } from './syncDeps.js';

/** Threads recorded at once. */
const AT_ONCE = 50;

/**
 * Records what an answer tells of threads, and notes which messages are to be fetched. A thread of which it tells
 * nothing new is not written.
 */
export async function noteThreads(
  deps: SyncDeps,
  server: LoadedServer,
  { threads, asOf }: ToldThreads,
): Promise<void> {
  const syncThreads = syncOf(deps.collections.sync, 'thread');
  const kept = threads.filter((thread) => isKept(thread, server));
  const found = await syncThreads.find({ _id: { $in: kept.map(({ id }) => id) } }).toArray();
  const known = new Map(found.map((one) => [one._id, one]));
  const erased = await erasedPeople(deps.collections);
  for (let at = 0; at < kept.length; at += AT_ONCE) {
    const group = kept.slice(at, at + AT_ONCE);
    await Promise.all(
      group.map((thread) =>
        noteThread(deps, server, { thread, asOf, erased, known: known.get(thread.id) }),
      ),
    );
  }
}

function isKept(thread: LiveThread, { channels }: LoadedServer): thread is ChannelThread {
  return isPublicThread(thread) && channels.has(thread.parent_id ?? '');
}

interface Noted {
  thread: ChannelThread;
  asOf: number;
  erased: ErasedPeople;
  known: SyncThread | undefined;
}

/** What is told of the thread itself is recorded and noted in one transaction: neither is ever without the other. */
async function noteThread(
  deps: SyncDeps,
  server: LoadedServer,
  { thread, asOf, erased, known }: Noted,
): Promise<void> {
  // With the id of somebody erased in it, a digest would confirm who had started the thread.
  const told = eraseThread(liveThread(thread, server.serverId), erased);
  const digest = tieOf(told);
  const isNew = known?.digest !== digest;
  const wanted = todoOf(thread, known);
  if (!isNew && !wanted) return;
  const recorded = !known || !wanted ? null : await allRecorded(deps, thread, known);
  const place = { serverId: server.serverId, channelId: told.channelId };
  const reads = { sync: [thread.id] };
  const note = (documents: Documents, problem?: string): void => {
    const now = documents.get('sync', thread.id) as SyncThread | null;
    // An answer that was asked for earlier tells nothing that is not known.
    if (now && now.asOf >= asOf) return;
    // What is being read goes on from where it is, also where that was asked for only just now.
    const isRecorded = recorded !== null && !now?.todo;
    const todo = isRecorded ? null : todoOf(thread, now ?? undefined);
    const fetched = { ...NOTHING_FETCHED, ...now, ...(isRecorded && recorded) };
    const next = { ...fetched, ...countsOf(thread), digest, asOf, ...place };
    documents.put('sync', withTodo({ ...next, _id: thread.id, kind: 'thread' }, todo, problem));
  };
  if (!isNew) return deps.commit({ reads, decide: (documents) => note(documents) });
  const channel = server.channels.get(told.channelId)!;
  // The look at the server may be older than this answer: a name that was told between both has to stay.
  const header = { asOf, server: server.told, channel, thread: told };
  const source = { told: header, placeAsOf: server.asOf };
  try {
    await ingest(deps, source, batches([]), { reads, note: (documents) => note(documents) });
  } catch (error) {
    // Its server or forum was deleted here since the last look: the next look leaves it out.
    if (error instanceof DeletedPlace) return;
    if (!(error instanceof SourceConflict)) throw error;
    deps.logger.warn({ err: error, threadId: thread.id }, 'A thread cannot be recorded');
    await deps.commit({ reads, decide: (documents) => note(documents, error.message) });
  }
}

/** A thread of which so much is to be fetched from now on; what cannot be recorded is not fetched either. */
function withTodo(thread: SyncThread, todo: SyncTodo | null, problem?: string): SyncThread {
  const { todo: before, token: _token, dueAt: _dueAt, problem: _problem, ...rest } = thread;
  if (problem !== undefined) return { ...rest, problem };
  if (todo === null) return thread;
  const token = randomUUID();
  // One that is being read whole goes on so.
  if (todo !== 'all') return { ...rest, todo: before ?? todo, token };
  const { since: _since, ...first } = rest;
  return { ...first, todo, token, ...NOTHING_FETCHED };
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
  if (!isSince || lastMessageId === null) return null;
  const last = await messages.findOne({ _id: lastMessageId, threadId: thread.id });
  if (!last) return null;
  const replies = { threadId: thread.id, _id: { $ne: thread.id }, deleted: { $ne: true } };
  if ((await messages.countDocuments(replies)) !== messageCount) return null;
  return { after: lastMessageId, fetched: messageCount + 1 };
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
