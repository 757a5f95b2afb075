import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { LRUCache } from 'lru-cache';
import { isPartlyRestored } from '../../../shared/store/restore.js';
import { stateOf } from '../../../shared/store/state.js';
import { followSignal } from '../../../shared/platform/followSignal.js';
import type { IndexerDeps } from '../deps.js';
import { isTransient } from '../permanentErrors.js';
import { PlatformUnauthorized } from '../../../shared/discordApi/platformErrors.js';
import { createTurns } from '../turns.js';
import { checkMembers } from './checkMembers.js';
import { correctTimes } from './correctTimes.js';
import { listen, type GatewayAccess } from '../gateway/listen.js';
import { fetchThreads } from './fetchThreads.js';
import { createMeter, type Meter } from './meter.js';
import { holdLease, LEASE_MS, releaseLease } from './lease.js';
import { readMessages } from './readMessages.js';
import { createRemovals } from './removals.js';
import { removeLongWithheld } from './removeWithheld.js';
import { repairThreads } from './repairThreads.js';
import { serveRequests } from './serveRequests.js';
import { rest } from '../rest.js';
import type { SyncDeps } from './syncDeps.js';
import { SyncProblem } from './syncProblem.js';
import { createTasks } from './tasks.js';

const AGAIN_AFTER_MS = 5_000;
/** How often (ms) to try again where an operator has to change something. */
const PROBLEM_EVERY_MS = 60_000;

/** For how many members this process remembers their choice. Few people write most messages. */
const MEMBERS_REMEMBERED = 50_000;

/** Settings of the sync. */
export interface SyncOptions extends Pick<SyncDeps, 'named' | 'optOutEntries'> {
  /** How to reach the gateway; null for none. Without it, lists and repeated readings find changes. */
  gateway: GatewayAccess | null;
  /** How often (ms) everything new is looked for. */
  allEveryMs: number;
  /** How often (ms) one thread is read once more, while nothing else is to be fetched. */
  repairEveryMs: number;
  /** After which time (ms) without being read each thread is read once more. */
  repairAfterMs: number;
  /** How often (ms) the roles of one author are asked for. */
  memberEveryMs: number;
}

/** How a process speaks to the platform. Answers and events get their times from one clock. */
type Speaks = Pick<SyncDeps, 'platform' | 'clock'>;

/** Keeps the archive like the platform while it runs. */
export interface Sync {
  stop(): Promise<void>;
}

/** Starts the sync. Of all processes that run it, only the one that holds the lease speaks to the platform. */
export function runSync(deps: IndexerDeps, speaks: Speaks, options: SyncOptions): Sync {
  const stopped = new AbortController();
  const holder = randomUUID();
  const turn: Turn = { speaks, options, holder, stopped: stopped.signal };
  const ended = (async () => {
    while (!stopped.signal.aborted) await rest(await takeTurn(deps, turn), stopped.signal);
    await releaseLease(deps.collections, holder).catch(() => undefined);
  })();
  return {
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}

interface Turn {
  speaks: Speaks;
  options: SyncOptions;
  holder: string;
  stopped: AbortSignal;
}

/** Syncs while this process holds the lease. Resolves with how long to rest before the next turn (ms). */
async function takeTurn(
  deps: IndexerDeps,
  { speaks, options, holder, stopped }: Turn,
): Promise<number> {
  const turn = followSignal(stopped);
  const { signal } = turn;
  // Every request under way listens to it.
  setMaxListeners(0, signal);
  const removals = createRemovals({ ...deps, signal });
  let failure: { error: unknown } | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const heldAt = performance.now();
    if (!(await holdLease(deps.collections, holder))) return AGAIN_AFTER_MS;
    // A restore refuses to begin while a sync holds the lease. So this is asked while this process holds it.
    if (await isPartlyRestored(deps.collections)) {
      await releaseLease(deps.collections, holder);
      return AGAIN_AFTER_MS;
    }
    speaks.clock.restart();
    const meter = createMeter();
    timer = keepLease(deps, { holder, heldAt, meter }, () => turn.end());
    await correctTimes(deps.collections);
    const { named, optOutEntries, gateway, allEveryMs, memberEveryMs } = options;
    const pace = { everyMs: options.repairEveryMs, afterMs: options.repairAfterMs };
    const sync: SyncDeps = {
      ...deps,
      ...speaks,
      named,
      optOutEntries,
      signal,
      fail(error) {
        failure ??= { error };
        turn.end();
      },
      meter,
      servers: new Map(),
      turns: createTurns(),
      removals,
      listed: new Set(),
      longWithheld: new Set(),
      members: new LRUCache({ max: MEMBERS_REMEMBERED }),
      listening: { since: null },
    };
    const parts = createTasks(sync);
    parts.start(() => serveRequests(sync, allEveryMs));
    parts.start(() => fetchThreads(sync));
    parts.start(() => readMessages(sync));
    parts.start(() => repairThreads(sync, pace));
    parts.start(() => checkMembers(sync, memberEveryMs));
    parts.start(() => removeLongWithheld(sync));
    if (gateway) parts.start(() => listen(sync, gateway));
    await parts.end();
    return failure ? await tell(deps, failure.error) : 0;
  } catch (error) {
    return await tell(deps, error);
  } finally {
    clearInterval(timer);
    await removals.end();
    turn.end();
  }
}

function isProblem(error: unknown): error is Error {
  return error instanceof SyncProblem || error instanceof PlatformUnauthorized;
}

/**
 * Notes what an operator has to change. A refused token is noted again with each turn, too: the client remembers the
 * refusal, and asks the platform nothing more.
 */
async function tell({ collections, logger }: IndexerDeps, error: unknown): Promise<number> {
  if (!isProblem(error)) {
    if (!isTransient(error)) logger.error({ err: error }, 'The sync failed, and begins again');
    return AGAIN_AFTER_MS;
  }
  logger.error(error.message);
  await stateOf(collections.state, 'sync')
    .updateOne({ _id: 'sync' }, { $set: { problem: error.message } })
    .catch(() => undefined);
  return PROBLEM_EVERY_MS;
}

/**
 * Renews the lease, which was asked for at `heldAt`, and calls `lose` when it is lost. The lease counts from the time of
 * its request, because MongoDB may store it at once and answer much later.
 */
function keepLease(
  deps: IndexerDeps,
  { holder, heldAt, meter }: { holder: string; heldAt: number; meter: Meter },
  lose: () => void,
): NodeJS.Timeout {
  let lastAt = heldAt;
  // This process counts the lease as lost before another process can take it.
  const loseInTime = (): void => {
    if (performance.now() - lastAt > LEASE_MS * 0.75) lose();
  };
  loseInTime();
  return setInterval(() => {
    const asked = performance.now();
    holdLease(deps.collections, holder, meter.perSecond()).then(
      (isHeld) => {
        if (isHeld) lastAt = asked;
        else lose();
      },
      // A failed renewal is tried again, until the lease counts as lost.
      () => undefined,
    );
    loseInTime();
  }, LEASE_MS / 5);
}
