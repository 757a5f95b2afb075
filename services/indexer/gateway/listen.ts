import {
  PlatformAnswerError,
  PlatformAway,
  PlatformUnauthorized,
} from '../../../shared/discordApi/platformErrors.js';
import { growingDelay } from '../../../shared/platform/growingDelay.js';
import { parseUrl } from '../../../shared/platform/parseUrl.js';
import { isPermanent, isTransient } from '../permanentErrors.js';
import { rest } from '../rest.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { untilDone } from '../untilDone.js';
import { DISALLOWED_INTENTS, judgeClose } from './closeCodes.js';
import { connectSocket } from './gatewaySocket.js';
import { takeOver } from './gatewayStore.js';
import { awaitIdentify, NoSessionsLeft, wantedIntents } from './identify.js';
import { createListener, type Listener } from './listener.js';

/** How this process may reach the gateway. */
export interface GatewayAccess {
  token: string;
  /** Whether connections may be unencrypted, because requests to the API are. */
  isPlain: boolean;
  /** Why the platform takes no connection of this process; null while it does. */
  problem: string | null;
}

/**
 * How long (ms) a connection must last. A connection has failed if it ends sooner, or if its session was neither begun
 * nor resumed.
 */
const LIVED_MS = 60_000;
/** After at most so many failures in a row, the next connection follows almost at once. */
const MOST_AT_ONCE = 2;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** How long (ms) resuming a session may fail, for whatever reason, before the session is given up. */
const MOST_RESUMING_MS = 5 * 60_000;
const LONGEST_REST_MS = 10 * 60_000;

/**
 * Listens to the gateway until the signal is aborted, and records its events. When a connection ends, this process
 * resumes the session after the last event that it received. Another process resumes it after the last event that was
 * recorded. Also resolves when the platform takes no connection of this bot, and when something failed that ends the
 * whole sync.
 */
export async function listen(deps: SyncDeps, access: GatewayAccess): Promise<void> {
  const own = { ...deps, ...deps.first };
  const takenAt = await untilDone(deps.signal, () => deps.clock.take());
  const session = await untilDone(deps.signal, () => takeOver(deps.collections, takenAt));
  const listener = createListener(own, { session, takenAt });
  if (access.problem === null) {
    // The end of the sync is also the end of the recordings that wait for the platform or a store.
    await stayConnected(own, access, listener).catch(deps.fail);
  } else listener.note(access.problem);
  await listener.end();
}

async function stayConnected(
  deps: SyncDeps,
  access: GatewayAccess,
  listener: Listener,
): Promise<void> {
  const { signal } = deps;
  let failures = 0;
  let answeredAt = performance.now();
  let isChecked = false;
  const connect = async (): Promise<Connected> => {
    // This is done once. An intent that the portal grants later is asked for by the next session that begins, or after
    // the next start.
    if (!isChecked) await dropOutdated(deps, listener);
    isChecked = true;
    return connectOnce(deps, access, listener);
  };
  while (!signal.aborted) {
    const { waitMs, isAnswered, hasLasted, why } = await connect().catch((error: unknown) => ({
      waitMs: restAfter(deps, listener, error),
      isAnswered: false,
      hasLasted: false,
      why: null,
    }));
    if (waitMs === null) return;
    failures = hasLasted ? 0 : failures + 1;
    if (why !== null && failures > MOST_AT_ONCE) noteEnds(deps, listener, why);
    if (isAnswered || !listener.session) answeredAt = performance.now();
    if (performance.now() - answeredAt > MOST_RESUMING_MS) listener.dropSession();
    await rest(Math.max(waitMs, delayAfter(failures)), signal);
  }
}

/**
 * Gives up a session of an earlier process, if a session that begins now would ask for other intents. A resumed session
 * would lack the events of an intent that the portal has granted since. A session of an earlier version is given up,
 * too, as its intents are not known. Giving a session up costs one session and a look at everything. Keeping it could
 * miss events for weeks.
 */
async function dropOutdated(deps: SyncDeps, listener: Listener): Promise<void> {
  const { session } = listener;
  if (session && session.intents !== (await wantedIntents(deps))) listener.dropSession();
}

/** The result of a connection. */
interface Connected {
  /** The shortest rest before the next connection (ms); null where trying again would not help. */
  waitMs: number | null;
  /** Whether the platform answered that the session has begun, or was resumed. */
  isAnswered: boolean;
  hasLasted: boolean;
  /** Why the connection ended; null where that is told already. */
  why: string | null;
}

/** Connects, and resolves when the connection has ended. */
async function connectOnce(
  deps: SyncDeps,
  access: GatewayAccess,
  listener: Listener,
): Promise<Connected> {
  const { session } = listener;
  const { url, intents = 0 } = session ?? (await awaitIdentify(deps));
  const socket = connectSocket({
    url: addressOf(url, access),
    token: access.token,
    intents,
    signal: deps.signal,
    resume: session && { sessionId: session.id, seq: listener.received },
    onEvent: (event, length) => listener.take(event, length),
  });
  listener.attach(socket, intents);
  const began = performance.now();
  const { code, why, isInvalid, isAnswered } = await socket.ended.finally(() => listener.detach());
  const hasLasted = isAnswered && performance.now() - began > LIVED_MS;
  const closed = judgeClose(code);
  if (closed.kind === 'unauthorized') throw new PlatformUnauthorized();
  if (!isInvalid && closed.kind === 'resumable') return { waitMs: 0, isAnswered, hasLasted, why };
  // The next connection begins another session. This holds for a fatal problem, too. The operator mends the problem and
  // restarts the indexer, and the change counts from the next session on.
  listener.dropSession();
  // The portal may have withdrawn an intent since the session began. Then another session begins with the intents that
  // it grants now.
  const isOutdated = code === DISALLOWED_INTENTS && (await wantedIntents(deps)) !== intents;
  if (closed.kind === 'fatal' && !isOutdated) {
    access.problem = closed.problem;
    deps.logger.error(closed.problem);
    listener.note(closed.problem);
    return { waitMs: null, isAnswered, hasLasted, why: null };
  }
  // The platform asks clients to wait for a random time between one and five seconds.
  return { waitMs: 1_000 + Math.random() * 4_000, isAnswered, hasLasted, why };
}

/** Returns how long to rest after an error (ms). Throws an error that will not pass by itself. */
function restAfter({ signal, logger }: SyncDeps, listener: Listener, error: unknown): number {
  if (signal.aborted) return 0;
  if (isTransient(error)) return FIRST_DELAY_MS;
  const isIts =
    error instanceof PlatformAway || error instanceof NoSessionsLeft || isPermanent(error);
  if (!isIts) throw error;
  logger.warn({ err: error }, 'The gateway cannot be reached');
  listener.note(error.message);
  return error instanceof NoSessionsLeft ? Math.min(error.waitMs, LONGEST_REST_MS) : FIRST_DELAY_MS;
}

/** Notes why connections do not last. At the end of the sync, this process has closed the connection itself. */
function noteEnds({ signal, logger }: SyncDeps, listener: Listener, why: string): void {
  if (signal.aborted) return;
  const problem = `The connection to the gateway ends again and again (${why}). The archive tries again by itself`;
  logger.warn(problem);
  listener.note(problem);
}

/** How long to rest after some failures in a row (ms). The rest is short after the first few, and then grows. */
function delayAfter(failures: number): number {
  if (failures <= MOST_AT_ONCE) return Math.random() * (FIRST_DELAY_MS / 4);
  return growingDelay(failures - MOST_AT_ONCE, FIRST_DELAY_MS, LONGEST_DELAY_MS);
}

/**
 * Returns the address to connect to. The token is sent there, so it must be encrypted unless `isPlain`. Throws
 * PlatformAnswerError.
 */
function addressOf(told: string, { isPlain }: GatewayAccess): string {
  const url = parseUrl(told);
  const isSafe = url?.protocol === 'wss:' || (isPlain && url?.protocol === 'ws:');
  if (!url || !isSafe) throw new PlatformAnswerError('The gateway has no address of a web socket');
  url.searchParams.set('v', '10');
  url.searchParams.set('encoding', 'json');
  return url.href;
}
