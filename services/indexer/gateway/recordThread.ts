import { findGathered } from '../../../shared/store/gather.js';
import { removeDeletedMessages, removeDeletedThread } from '../sync/removeDeleted.js';
import { noteThreads } from '../sync/noteThreads.js';
import { recordMessages } from '../sync/recordMessages.js';
import { putReadAgain, readsOfReadAgain } from '../sync/readMessages.js';
import type { LoadedServer, SyncDeps } from '../sync/syncDeps.js';
import { changeReactions } from './changeReactions.js';
import type { ThreadEvent } from './gatewayEvents.js';
import { groupEvents, type TimedEvent } from './groupEvents.js';

interface Place {
  threadId: string;
  channelId: string;
  serverId: string;
  /** The claim of whoever builds the thread when all is recorded. */
  claim: string;
}

/** Records events of one kind that follow each other. */
type Recorder<Kind extends ThreadEvent['kind']> = (
  deps: SyncDeps,
  server: LoadedServer,
  place: Place,
  events: readonly TimedEvent<Kind>[],
) => Promise<unknown>;

/** What each kind of event of a recorded thread does. */
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
      events.map(({ event: { messageId, change }, asOf }) => ({
        ...place,
        messageId,
        change,
        asOf,
      })),
      place.claim,
    ),
  async changed({ commit }, _server, place, events) {
    const messages = events.map(({ event: { messageId } }) => ({ ...place, messageId }));
    await commit({
      reads: readsOfReadAgain(messages),
      decide: (documents) => messages.forEach((one) => putReadAgain(documents, one)),
    });
  },
  thread: (deps, server, _place, events) => noteLast(deps, server, events),
  threadDeleted: (deps, _server, { threadId, serverId }) =>
    removeDeletedThread(deps, { _id: threadId, serverId }),
};

/**
 * Events that are recorded in withheld forums, too. When everybody may read such a forum again, its recorded messages
 * are shown at once, and only later read again from the platform. Until then a message whose deletion was not recorded
 * would be shown.
 */
const DELETIONS: ReadonlySet<ThreadEvent['kind']> = new Set(['messagesDeleted', 'threadDeleted']);

/**
 * Records events of one thread, in order. Those of a thread that is not archived change nothing: when it is listed, all
 * of it is fetched.
 */
export async function recordThread(
  deps: SyncDeps,
  threadId: string,
  { serverId, events, claim }: { serverId: string; events: readonly TimedEvent[]; claim: string },
): Promise<void> {
  const server = deps.servers.get(serverId);
  if (!server) return;
  let place = await placeOf(deps, server, { threadId, claim });
  for (const group of groupEvents(events, place !== null)) {
    const { kind } = group[0]!.event;
    // Each recorder is given events of its own kind.
    const record = RECORDERS[kind] as Recorder<ThreadEvent['kind']>;
    const isKept = DELETIONS.has(kind) || (place && server.channels.has(place.channelId));
    if (place && isKept) await record(deps, server, place, group);
    else if (kind === 'thread') await noteLast(deps, server, group as TimedEvent<'thread'>[]);
    if (kind === 'thread') place ??= await placeOf(deps, server, { threadId, claim });
  }
}

/** Where a thread is recorded; null where it is not. */
async function placeOf(
  { collections }: SyncDeps,
  server: LoadedServer,
  { threadId, claim }: Pick<Place, 'threadId' | 'claim'>,
): Promise<Place | null> {
  const thread = await findGathered(collections.threads, threadId);
  if (!thread || thread.deleted || thread.serverId !== server.serverId) return null;
  return { threadId, channelId: thread.channelId, serverId: server.serverId, claim };
}

/** Each tells the whole thread: so the last is enough. */
async function noteLast(
  deps: SyncDeps,
  server: LoadedServer,
  events: readonly TimedEvent<'thread'>[],
): Promise<void> {
  const { event, asOf } = events.at(-1)!;
  await noteThreads(deps, server, { threads: [event.thread], asOf });
}
