import { findGathered } from '../../../shared/store/gather.js';
import { removeDeletedMessages, removeDeletedThread } from '../sync/removeDeleted.js';
import { noteThreads } from '../sync/noteThreads.js';
import { recordMessages } from '../sync/recordMessages.js';
import { readOnceMore } from '../sync/repairThreads.js';
import { putReadAgain, readsOfReadAgain } from '../sync/readMessages.js';
import type { SyncDeps } from '../sync/syncDeps.js';
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

/** The kinds of events that are recorded only in a thread that is recorded already. */
type InThread = Exclude<ThreadEvent['kind'], 'thread'>;

/** Records a group of events of one kind. */
type Recorder<Kind extends InThread> = (
  deps: SyncDeps,
  place: Place,
  events: readonly TimedEvent<Kind>[],
) => Promise<unknown>;

const RECORDERS: { readonly [Kind in InThread]: Recorder<Kind> } = {
  message: (deps, place, events) =>
    recordMessages(
      deps,
      place,
      events.map(({ event, asOf }) => ({ value: event.message, asOf, isEvent: true })),
    ),
  messagesDeleted(deps, place, events) {
    const ids = new Set(events.flatMap(({ event }) => event.messageIds));
    return removeDeletedMessages(deps, place, [...ids]);
  },
  reacted: (deps, place, events) =>
    changeReactions(
      deps,
      place,
      events.map(({ event, asOf }) => ({ ...event, asOf })),
    ),
  async changed({ commit }, place, events) {
    const messageIds = events.map(({ event }) => event.messageId);
    await commit({
      reads: readsOfReadAgain(messageIds),
      decide: (documents) =>
        messageIds.forEach((messageId) => putReadAgain(documents, { ...place, messageId })),
    });
  },
  threadDeleted: (deps, { threadId }) => removeDeletedThread(deps, threadId),
  missed: (deps, { threadId }) => readOnceMore(deps, threadId),
};

/**
 * The kinds of events that are recorded in withheld forums, too. When everybody may read such a forum again, its
 * recorded messages are shown at once, and only later read again from the platform. Until then a message whose deletion
 * was not recorded would be shown.
 */
const DELETIONS: ReadonlySet<ThreadEvent['kind']> = new Set(['messagesDeleted', 'threadDeleted']);

/**
 * Records events of one thread, in order. Where the thread is not recorded, only two kinds of events count. `thread` may
 * add the thread to the archive, and then all of its messages are fetched. `threadDeleted` in an archived forum leaves a
 * tombstone, as an export may still bring the thread. Events of a server that could not be looked at are dropped.
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
    if (kind === 'thread') {
      // Each event tells the whole thread, so the last one is enough.
      const { event, asOf } = group.at(-1) as TimedEvent<'thread'>;
      await noteThreads(deps, server, { threads: [event.thread], asOf, isEvent: true });
      place ??= await placeOf(deps, thread);
    } else if (place && (DELETIONS.has(kind) || server.channels.has(place.channelId))) {
      // Each recorder is given events of its own kind.
      const record = RECORDERS[kind] as Recorder<InThread>;
      await record(deps, place, group as TimedEvent<InThread>[]);
    } else if (kind === 'threadDeleted') {
      const { channelId } = (group.at(-1) as TimedEvent<'threadDeleted'>).event;
      const isArchived = channelId !== undefined && server.channels.has(channelId);
      if (isArchived) await removeDeletedThread(deps, thread.threadId, { ...thread, channelId });
    }
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
