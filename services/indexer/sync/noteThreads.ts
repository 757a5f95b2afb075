import { randomUUID } from 'node:crypto';
import { batches } from '../../../shared/platform/batches.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
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
import { valueDigest } from '../records/mergeFields.js';
import { liveThread, type ChannelThread } from '../sources/liveHeader.js';
import type { Documents } from '../work/change.js';
import { learnRoles, readRolesIfTold } from './memberRoles.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

/** How many threads are recorded at once. */
const AT_ONCE = 50;

/** What an answer or an event tells of threads. */
interface Told {
  threads: readonly LiveThread[];
  asOf: number;
  isEvent?: true;
}

/**
 * Records what an answer or an event tells of threads, and notes which messages are to be fetched. Where an answer
 * tells nothing new of a thread, nothing is written. Of an event, the time is recorded in any case. Otherwise an answer
 * that was asked for before it, and comes later, could change the thread back.
 */
export async function noteThreads(
  deps: SyncDeps,
  server: LoadedServer,
  { threads, asOf, isEvent }: Told,
): Promise<void> {
  const syncThreads = syncOf(deps.collections.sync, 'thread');
  const kept = threads.filter((thread) => isKept(thread, server));
  if (kept.length === 0) return;
  await learnStarters(deps, server, kept);
  const found = await syncThreads.find({ _id: { $in: kept.map(({ id }) => id) } }).toArray();
  const known = new Map(found.map((one) => [one._id, one]));
  const erased = await erasedPeople(deps.collections);
  await forEachAtOnce(kept, AT_ONCE, (thread) =>
    noteThread(deps, server, { thread, asOf, isEvent, erased, known: known.get(thread.id) }),
  );
}

/**
 * Asks for the roles of starters of whom nothing is known yet, before their threads are recorded with their ids. A list
 * may tell a thread whose starter is left out. Then somebody else's message is recorded before the starter's is
 * fetched, and the thread would be shown with the starter's id. Where the roles of a starter cannot be read, the thread
 * is noted all the same, but no message of theirs is recorded.
 */
function learnStarters(
  deps: SyncDeps,
  server: LoadedServer,
  threads: readonly ChannelThread[],
): Promise<void> {
  const userIds = threads.flatMap(({ owner_id: userId }) => userId ?? []);
  return learnRoles(deps, server, userIds, readRolesIfTold);
}

function isKept(thread: LiveThread, { channels }: LoadedServer): thread is ChannelThread {
  return isPublicThread(thread) && channels.has(thread.parent_id ?? '');
}

interface Noted extends Pick<Told, 'asOf'> {
  thread: ChannelThread;
  isEvent: true | undefined;
  erased: ErasedPeople;
  known: SyncThread | undefined;
}

/**
 * Records the thread and notes what is to be fetched in one transaction, so that neither is ever without the other.
 * Both get the same time. Otherwise an earlier answer that comes late could change one without the other.
 */
async function noteThread(
  deps: SyncDeps,
  server: LoadedServer,
  { thread, asOf, isEvent, erased, known }: Noted,
): Promise<void> {
  const told = liveThread(thread, server.serverId);
  const channel = server.channels.get(told.channelId);
  // While the roles of starters were asked for, a look has found that the forum is not archived any more.
  if (!channel) return;
  // A digest of the id of an erased person would confirm that they had started the thread.
  const digestFor = (people: ErasedPeople): string => valueDigest(eraseThread(told, people));
  const wanted = todoOf(thread, known);
  if (!isEvent && !wanted && known?.digest === digestFor(erased)) return;
  const recorded = !known || !wanted ? null : await allRecorded(deps, thread, known);
  const place = { serverId: server.serverId, channelId: told.channelId };
  const reads = { sync: [thread.id], state: ['erasures'] };
  const note = (documents: Documents, problem?: string): void => {
    const now = documents.get('sync', thread.id) as SyncThread | null;
    // This answer was asked for before the one that is noted, so it tells nothing new.
    if (now && now.asOf >= asOf) return;
    // `recorded` tells that all messages are recorded, but it was read before this transaction. Meanwhile another
    // answer may have noted that something is left to fetch. Then fetching goes on from the noted place. Or the forum
    // was forgotten, and the note with it. Then the thread is fetched from its first message. So the thread counts as
    // fetched only where there is a note now, and nothing is left.
    const isRecorded = recorded !== null && now !== null && !now.todo;
    const todo = isRecorded ? null : todoOf(thread, now ?? undefined);
    const fetched = { ...NOTHING_FETCHED, ...now, ...(isRecorded && recorded) };
    const digest = digestFor(documents.erased());
    const next = { ...fetched, ...countsOf(thread), digest, asOf, ...place };
    documents.put('sync', withTodo({ ...next, _id: thread.id, kind: 'thread' }, todo, problem));
  };
  // The look at the server may be older than this answer. A name that was told between the two has to stay.
  const header = { asOf, server: server.told, channel, thread: told };
  const source = { told: header, placeAsOf: server.asOf };
  try {
    await ingest(deps, source, batches([]), { reads, note: (documents) => note(documents) });
  } catch (error) {
    // The server or forum was deleted here since the last look. The next look leaves it out.
    if (error instanceof DeletedPlace) return;
    if (!(error instanceof SourceConflict)) throw error;
    deps.logger.warn({ err: error, threadId: thread.id }, 'A thread cannot be recorded');
    await deps.commit({ reads, decide: (documents) => note(documents, error.message) });
  }
}

/** A thread with a note of what is to be fetched. Where it has a problem and cannot be recorded, nothing is fetched. */
function withTodo(thread: SyncThread, todo: SyncTodo | null, problem?: string): SyncThread {
  const { todo: before, token: _token, dueAt: _dueAt, problem: _problem, ...rest } = thread;
  if (problem !== undefined) return { ...rest, problem };
  if (todo === null) return thread;
  const token = randomUUID();
  // A thread that is being read whole goes on to be read whole.
  if (todo !== 'all') return { ...rest, todo: before ?? todo, token };
  const { since: _since, ...first } = rest;
  return { ...first, todo, token, ...NOTHING_FETCHED };
}

/**
 * Whether events have told all messages that came since the thread was last listed. This holds where the last message
 * is recorded, and as many messages as the platform counts. Then nothing is to be fetched. Resolves with how far the
 * thread is recorded; with null where something may be missing.
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

/** What is to be fetched of a thread, judged by its counts; null for nothing. */
function todoOf(thread: LiveThread, known: SyncThread | undefined): SyncTodo | null {
  if (!known) return 'new';
  const now = countsOf(thread);
  const sent = now.totalSent - known.totalSent;
  // More messages were deleted than sent.
  if (now.messageCount - known.messageCount < sent) return 'all';
  return sent > 0 || now.lastMessageId !== known.lastMessageId ? 'new' : null;
}
