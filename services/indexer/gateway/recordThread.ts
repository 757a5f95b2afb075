import { findGathered } from '../../../shared/store/gather.js';
import { removeDeletedMessages, removeDeletedThread } from '../sync/removeDeleted.js';
import { noteThreads } from '../sync/noteThreads.js';
import { recordMessages } from '../sync/recordMessages.js';
import { readOnceMore } from '../sync/repairThreads.js';
import { putReadAgain, readsOfReadAgain } from '../sync/readMessages.js';
import type { LoadedServer, SyncDeps } from '../sync/syncDeps.js';
import { changeReactions } from './changeReactions.js';
import type { ThreadEvent } from './gatewayEvents.js';
import { groupEvents, type TimedEvent } from './groupEvents.js';

interface Place {
  threadId: string;
  channelId: string;
  serverId: string;
  /** For whom the thread's mark is claimed: the caller, which builds the thread when the events are recorded. */
  owner: string;
}

/** Records a group of events of one kind. */
type Recorder<Kind extends ThreadEvent['kind']> = (
  deps: SyncDeps,
  server: LoadedServer,
  place: Place,
  events: readonly TimedEvent<Kind>[],
) => Promise<unknown>;

/** The recorder of each kind of event, for a thread that is recorded. */
const RECORDERS: { readonly [Kind in ThreadEvent['kind']]: Recorder<Kind> } = {
  message: (deps, server, place, events) =>
    recordMessages(
      deps,
      server,
      place,
      events.map(({ event, asOf }) => ({ value: event.message, asOf, isEvent: true })),
    ),
  messagesDeleted(deps, _server, place, events) {
    const ids = new Set(events.flatMap(({ event }) => event.messageIds));
    return removeDeletedMessages(deps, place, [...ids]);
  },
  reacted: (deps, _server, place, events) =>
    changeReactions(
      deps,
      place,
      events.map(({ event: { messageId, change }, asOf }) => ({ messageId, change, asOf })),
    ),
  async changed({ commit }, _server, place, events) {
    const messageIds = events.map(({ event }) => event.messageId);
    await commit({
      reads: readsOfReadAgain(messageIds),
      decide: (documents) =>
        messageIds.forEach((messageId) => putReadAgain(documents, { ...place, messageId })),
    });
  },
  thread: (deps, server, _place, events) => noteLast(deps, server, events),
  threadDeleted: (deps, _server, { threadId }) => removeDeletedThread(deps, threadId),
  missed: (deps, _server, { threadId }) => readOnceMore(deps, threadId),
};

/**
 * The kinds of events that are recorded in withheld forums, too. When everybody may read such a forum again, its
 * recorded messages are shown at once, and only later read again from the platform. Until then a message whose deletion
 * was not recorded would be shown.
 */
const DELETIONS: ReadonlySet<ThreadEvent['kind']> = new Set(['messagesDeleted', 'threadDeleted']);

/**
 * Records events of one thread, in order. Where the thread is not archived, only an event of kind `thread` counts: it
 * may add the thread to the archive, and then all of its messages are fetched. Events of a server that could not be
 * looked at are dropped.
 */
export async function recordThread(
  deps: SyncDeps,
  thread: Omit<Place, 'channelId'>,
  events: readonly TimedEvent[],
): Promise<void> {
  const server = deps.servers.get(thread.serverId);
  if (!server) return;
  let place = await placeOf(deps, thread);
  for (const group of groupEvents(events)) {
    const { kind } = group[0]!.event;
    // Each recorder is given events of its own kind.
    const record = RECORDERS[kind] as Recorder<ThreadEvent['kind']>;
    const isKept = DELETIONS.has(kind) || (place && server.channels.has(place.channelId));
    if (place && isKept) await record(deps, server, place, group);
    else if (kind === 'thread') await noteLast(deps, server, group as TimedEvent<'thread'>[]);
    if (kind === 'thread') place ??= await placeOf(deps, thread);
  }
}

/** The place of a recorded thread; null where the server has no such thread, or it was deleted. */
async function placeOf(
  { collections }: SyncDeps,
  thread: Omit<Place, 'channelId'>,
): Promise<Place | null> {
  const recorded = await findGathered(collections.threads, thread.threadId);
  if (!recorded || recorded.deleted || recorded.serverId !== thread.serverId) return null;
  return { ...thread, channelId: recorded.channelId };
}

/** Notes a thread as the last of its events tells it. Each event tells the whole thread, so the last one is enough. */
async function noteLast(
  deps: SyncDeps,
  server: LoadedServer,
  events: readonly TimedEvent<'thread'>[],
): Promise<void> {
  const { event, asOf } = events.at(-1)!;
  await noteThreads(deps, server, { threads: [event.thread], asOf, isEvent: true });
}
