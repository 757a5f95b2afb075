import { randomUUID } from 'node:crypto';
import { isPermanent } from '../permanentErrors.js';
import { forgetChannels } from '../sync/forgetChannels.js';
import { suspendServer, NOT_THERE } from '../sync/suspend.js';
import { noteRolesOfEvent } from '../sync/memberRoles.js';
import { countAsUnread, readOnceMore } from '../sync/repairThreads.js';
import { requestAll, requestServer } from '../sync/serveRequests.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { createTasks } from '../sync/tasks.js';
import { untilDone } from '../untilDone.js';
import type { GatewayEvent, ServerEvent } from './gatewayEvents.js';
import type { TimedEvent } from './groupEvents.js';
import { recordThread } from './recordThread.js';
import { createTurns } from '../turns.js';
import { createServerLooks } from './serverLooks.js';
import { createThreadBuilds } from './threadBuilds.js';
import { createThreadLanes, type LanePlace } from './threadLanes.js';

/** The most characters (UTF-16 units) of events that wait to be recorded. */
const MOST_WAITING = 16 << 20;

/** Records the gateway's events. */
export interface EventRecorder {
  /**
   * Takes an event. For an event that cannot be read, everything is listed, so that its change is found. `length` is
   * the number of characters of its text. `done` is called when the whole event is recorded.
   */
  take(event: GatewayEvent | 'unreadable', length: number, done: () => void): void;
  /** Events that are not recorded yet. */
  readonly waiting: number;
  /** Whether so much waits that no more events should be taken for now. */
  readonly isFull: boolean;
  /** Resolves when nothing is being recorded or built any more. */
  end(): Promise<void>;
}

interface Timed extends TimedEvent {
  end: () => void;
}

/**
 * Makes the recorder. It records the events of each thread in order. Events of a thread that wait are recorded
 * together, so that a burst builds the thread only a few times. After an event that may have changed who may see what,
 * the later events of the same server wait until the server has been looked at.
 */
export function createEventRecorder(deps: SyncDeps): EventRecorder {
  const { signal } = deps;
  const tasks = createTasks(deps);
  const looks = createServerLooks(deps);
  const owner = randomUUID();
  const builds = createThreadBuilds(deps, owner);
  let waiting = 0;
  let charactersWaiting = 0;
  const lanes = createThreadLanes<Timed>({
    tasks,
    gate: (serverId) => looks.pending(serverId),
    async record(place, events) {
      try {
        await untilDone(signal, () => recordOrReadAgain(deps, { ...place, owner }, events));
      } finally {
        // After a failure, some of the events may still have been recorded. So the thread is built in any case.
        builds.ask(place.threadId);
      }
      for (const { end } of events) end();
    },
  });
  /** Records an event of a server. It changes nothing to do this again. */
  const recordServer = async (
    event: ServerEvent,
    { serverId, asOf }: { serverId: string; asOf: number },
  ): Promise<void> => {
    if (event.kind === 'member') {
      const { userId, roleIds } = event;
      // The look finds out which roles leave their bearers out.
      await looks.pending(serverId);
      await noteRolesOfEvent(deps, { serverId, userId, roleIds, asOf });
      return;
    }
    if (event.kind === 'left') {
      // A look at this server that is under way ends first.
      await deps.turns(serverId, () => suspendServer(deps, serverId, NOT_THERE));
      return;
    }
    // A role that is still as the last look found it needs no other look. But a look under way may find an older state
    // than the event tells. So another look follows it.
    const isOld =
      event.kind === 'role' && !looks.pending(serverId) && isKnownRole(deps, serverId, event.role);
    // The look is asked for before anything is awaited. So the next event of this server already waits for it.
    if (!isOld) await looks.look(serverId);
    if (event.kind === 'gained') {
      const { channelIds } = event;
      const which = { serverId, ...(channelIds && { _id: { $in: channelIds } }) };
      await forgetChannels(deps.collections.sync, which);
    }
    if (event.kind === 'heard') await countAsUnread(deps, serverId);
    if (event.kind === 'heard' || event.kind === 'gained') await requestServer(deps, serverId);
  };
  /**
   * Notes that threads with waiting events are to be read again. It is called when events tell of a server or of some
   * of its forums again, after some events were missed. A waiting event may tell of a message whose deletion was among
   * the missed ones. A reading of the thread does not find this deletion either, if it ends before the message is
   * recorded. So each of these threads is noted after its waiting events.
   *
   * Returns a function for the caller to call when its own work is done. `end` is called after that, and after all
   * these threads are noted. If it were called earlier, a process that ends then would lose the notes.
   */
  const readWaitingAgain = (serverId: string, asOf: number, end: () => void): (() => void) => {
    const places = lanes.waiting(serverId);
    let left = places.length + 1;
    const endOne = (): void => {
      left -= 1;
      if (left === 0) end();
    };
    for (const place of places) lanes.add(place, { event: { kind: 'missed' }, asOf, end: endOne });
    return endOne;
  };
  /** Gives an event its time, and passes it on. */
  const pass = async (event: GatewayEvent, end: () => void): Promise<void> => {
    const asOf = await untilDone(signal, () => deps.clock.take());
    if (event.threadId !== undefined) {
      lanes.add(event, { event, asOf, end });
      return;
    }
    const { serverId } = event;
    const hasMissed = event.kind === 'heard' || event.kind === 'gained';
    const done = hasMissed ? readWaitingAgain(serverId, asOf, end) : end;
    tasks.start(() => untilDone(signal, () => recordServer(event, { serverId, asOf })).then(done));
  };
  const turns = createTurns();
  return {
    take(event, length, done) {
      const cameAt = performance.now();
      waiting += 1;
      charactersWaiting += length;
      const end = (): void => {
        waiting -= 1;
        charactersWaiting -= length;
        deps.counters?.eventRecorded((performance.now() - cameAt) / 1_000);
        done();
      };
      if (event === 'unreadable') {
        tasks.start(() => untilDone(signal, () => requestAll(deps)).then(end));
        return;
      }
      // Events get their times in the order in which they came.
      tasks.start(() => turns('times', () => pass(event, end)));
    },
    get waiting() {
      return waiting;
    },
    get isFull() {
      return charactersWaiting > MOST_WAITING;
    },
    async end() {
      await tasks.end();
      await builds.end();
    },
  };
}

/**
 * Whether a role has the name and the permissions that the last look at its server found. Nothing else of a role
 * matters here.
 */
function isKnownRole(
  { servers }: SyncDeps,
  serverId: string,
  { id, name, permissions }: Extract<ServerEvent, { kind: 'role' }>['role'],
): boolean {
  const known = servers.get(serverId)?.roles.get(id);
  return known?.name === name && known.permissions === permissions;
}

/**
 * Records events of a thread. After an error that would come again, it notes that the thread is to be read once more,
 * so that nothing is missing. Throws all other errors.
 */
async function recordOrReadAgain(
  deps: SyncDeps,
  thread: LanePlace & { owner: string },
  events: readonly Timed[],
): Promise<void> {
  try {
    await recordThread(deps, thread, events);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    const { threadId } = thread;
    deps.logger.warn({ err: error, threadId }, 'Events of a thread cannot be recorded');
    await readOnceMore(deps, threadId);
  }
}
