import { randomUUID } from 'node:crypto';
import { isPermanent } from '../permanentErrors.js';
import { forgetChannels } from '../sync/forgetChannels.js';
import { leaveOutServer, NOT_THERE } from '../sync/leaveOutServer.js';
import { noteRolesOfEvent } from '../sync/memberRoles.js';
import { countAsUnread, readOnceMore } from '../sync/repairThreads.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import type { GatewayEvent, ServerEvent } from './gatewayEvents.js';
import type { TimedEvent } from './groupEvents.js';
import { recordThread } from './recordThread.js';
import { createTurns } from '../jobs/oneAtATime.js';
import { createServerLooks, requestServer } from './serverLooks.js';
import { createTasks, untilDone } from './tasks.js';
import { createThreadBuilds } from './threadBuilds.js';
import { createThreadLanes, type LanePlace } from './threadLanes.js';

/** What may wait to be recorded, as it was received (bytes). */
const MOST_WAITING = 16 << 20;

/** Records the gateway's events. */
export interface EventRecorder {
  /** Takes an event of so many bytes. `done` is called when all of it is recorded. */
  take(event: GatewayEvent, bytes: number, done: () => void): void;
  /** Does something beside, however long a store is away. */
  run(work: () => Promise<unknown>, done: () => void): void;
  /** Events that are not recorded yet. */
  readonly waiting: number;
  /** So much waits that nothing more should be taken for now. */
  readonly isFull: boolean;
  /** Rejects with what stops everything. */
  failed: Promise<never>;
  /** Resolves when nothing is under way. */
  end(): Promise<void>;
}

interface Timed extends TimedEvent {
  end: () => void;
}

/**
 * Records events: those of one thread in order, and together as far as they wait, so that a burst builds the thread a
 * few times. After an event that may change who may see what, all events of its server wait until the server was looked
 * at.
 */
export function createEventRecorder(deps: SyncDeps): EventRecorder {
  const { signal } = deps;
  const tasks = createTasks(signal);
  const looks = createServerLooks(deps);
  const claim = randomUUID();
  const builds = createThreadBuilds(deps, claim);
  let waiting = 0;
  let bytesWaiting = 0;
  const lanes = createThreadLanes<Timed>({
    tasks,
    gate: (serverId) => looks.pending(serverId),
    async record(place, events) {
      try {
        await untilDone(signal, () => recordOrReadAgain(deps, { ...place, claim }, events));
      } finally {
        // A part of them may be recorded.
        builds.ask(place.threadId);
      }
      for (const { end } of events) end();
    },
  });
  const recordServer = async (
    event: ServerEvent,
    { serverId, asOf }: { serverId: string; asOf: number },
  ): Promise<void> => {
    if (event.kind === 'member') {
      const { userId, roleIds } = event;
      // Which roles mean that somebody is left out is known only then.
      await looks.pending(serverId);
      await untilDone(signal, () => noteRolesOfEvent(deps, { serverId, userId, roleIds, asOf }));
      return;
    }
    if (event.kind === 'left') {
      const leave = () => leaveOutServer(deps, serverId, NOT_THERE);
      // A look that began before ends first.
      await untilDone(signal, () => deps.turns(serverId, leave));
      return;
    }
    if (event.kind === 'gained') {
      const { channelIds } = event;
      const which = { serverId, ...(channelIds && { _id: { $in: channelIds } }) };
      await untilDone(signal, () => forgetChannels(deps.collections.sync, which));
    }
    if (event.kind === 'heard') await untilDone(signal, () => countAsUnread(deps, serverId));
    // What a look under way finds may be older than the event.
    const isOld =
      event.kind === 'role' && !looks.pending(serverId) && isKnownRole(deps, serverId, event.role);
    if (!isOld) await looks.look(serverId);
    const asksForThreads = event.kind === 'heard' || event.kind === 'gained';
    if (asksForThreads) await untilDone(signal, () => requestServer(deps, serverId));
  };
  /** Gives an event its time, and passes it on. */
  const pass = async (event: GatewayEvent, end: () => void): Promise<void> => {
    const [asOf] = await untilDone(signal, () => deps.clock.take(1));
    if (event.threadId === undefined) {
      const { serverId } = event;
      tasks.start(() => recordServer(event, { serverId, asOf: asOf! }).then(end));
    } else lanes.add(event, { event, asOf: asOf!, end });
  };
  const turns = createTurns();
  return {
    take(event, bytes, done) {
      const cameAt = performance.now();
      waiting += 1;
      bytesWaiting += bytes;
      const end = (): void => {
        waiting -= 1;
        bytesWaiting -= bytes;
        deps.counters?.eventRecorded((performance.now() - cameAt) / 1_000);
        done();
      };
      // Events get their times in the order in which they came.
      tasks.start(() => turns('times', () => pass(event, end)));
    },
    run(work, done) {
      tasks.start(() => untilDone(signal, work).then(done));
    },
    get waiting() {
      return waiting;
    },
    get isFull() {
      return bytesWaiting > MOST_WAITING;
    },
    failed: tasks.failed,
    async end() {
      await tasks.end();
      await builds.end();
    },
  };
}

/** Whether a role is, for all that is archived, as it was when its server was last looked at. */
function isKnownRole(
  { servers }: SyncDeps,
  serverId: string,
  { id, name, permissions }: Extract<ServerEvent, { kind: 'role' }>['role'],
): boolean {
  const known = servers.get(serverId)?.roles.get(id);
  return known?.name === name && known.permissions === permissions;
}

/**
 * Records events of a thread. Where they cannot be recorded, the thread is read once more, so that nothing is missing.
 */
async function recordOrReadAgain(
  deps: SyncDeps,
  { threadId, serverId, claim }: LanePlace & { claim: string },
  events: readonly Timed[],
): Promise<void> {
  try {
    await recordThread(deps, threadId, { serverId, events, claim });
  } catch (error) {
    if (!isPermanent(error)) throw error;
    deps.logger.warn({ err: error, threadId }, 'Events of a thread cannot be recorded');
    await readOnceMore(deps, threadId);
  }
}
