import { setMaxListeners } from 'node:events';
import {
  PlatformAnswerError,
  PlatformAway,
  PlatformUnauthorized,
} from '../../../shared/discordApi/platformErrors.js';
import { growingDelay } from '../../../shared/platform/growingDelay.js';
import { parseUrl } from '../../../shared/platform/parseUrl.js';
import { isPassing, isPermanent } from '../permanentErrors.js';
import { rest } from '../rest.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { DISALLOWED_INTENTS, judgeClose } from './closeCodes.js';
import { connectSocket } from './gatewaySocket.js';
import { loadSession } from './gatewayStore.js';
import { awaitIdentify, NoSessionsLeft, wantedIntents } from './identify.js';
import { createListener, type Listener } from './listener.js';
import { untilDone } from './tasks.js';

/** How this process may reach the gateway. */
export interface GatewayAccess {
  token: string;
  /** Connections may be without encryption, as those to the API are. */
  isPlain: boolean;
  /** Why the platform takes no connection of this process; null while it does. */
  problem: string | null;
}

/** A connection that ends sooner (ms), or whose session has neither begun nor gone on, has failed. */
const LIVED_MS = 60_000;
/** Failures after which a connection is tried again at once. */
const MOST_AT_ONCE = 2;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** A session that cannot be resumed for so long (ms), whatever the reason, is given up. */
const MOST_RESUMING_MS = 5 * 60_000;
const LONGEST_REST_MS = 10 * 60_000;

/**
 * Listens to the gateway until the signal is aborted, and records what it tells. A session that ends is resumed after
 * the last event received, by another process after the last one recorded. Resolves, too, when the platform takes no
 * connection of this bot. Throws PlatformUnauthorized, SyncProblem, and what else stops everything.
 */
export async function listen(deps: SyncDeps, access: GatewayAccess): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([deps.signal, over.signal]);
  // Every thread that is being built may listen to it.
  setMaxListeners(0, signal);
  const own = { ...deps, ...deps.first, signal };
  const loaded = await untilDone(signal, () => loadSession(deps.collections));
  const listener = createListener(own, loaded);
  try {
    if (access.problem !== null) {
      listener.note(access.problem);
      return;
    }
    await Promise.race([stayConnected(own, access, listener), listener.failed]);
  } catch (error) {
    over.abort();
    throw error;
  } finally {
    await listener.end();
  }
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
    // Once is enough: what is granted later counts from the next start on.
    if (!isChecked) await dropOutdated(deps, listener);
    isChecked = true;
    return connectOnce(deps, access, listener);
  };
  while (!signal.aborted) {
    const { waitMs, isAnswered, hasLasted } = await connect().catch((error: unknown) => ({
      waitMs: restAfter(deps, listener, error),
      isAnswered: false,
      hasLasted: false,
    }));
    if (waitMs === null) return;
    failures = hasLasted ? 0 : failures + 1;
    if (isAnswered || !listener.session) answeredAt = performance.now();
    if (performance.now() - answeredAt > MOST_RESUMING_MS) listener.dropSession();
    await rest(Math.max(waitMs, delayAfter(failures)), signal);
  }
}

/**
 * Gives up a session of an earlier process if another would be begun with other intents now: resumed, it would not tell
 * what the portal has granted since. A session of an earlier version is given up, too, as its intents are not known.
 * That costs one session and a look at everything; to keep it could miss events for weeks.
 */
async function dropOutdated(deps: SyncDeps, listener: Listener): Promise<void> {
  const { session } = listener;
  if (session && session.intents !== (await wantedIntents(deps))) listener.dropSession();
}

/** What a connection came to. */
interface Connected {
  /** The least time to rest (ms); null where nothing helps. */
  waitMs: number | null;
  /** Whether its session had begun, or was resumed. */
  isAnswered: boolean;
  hasLasted: boolean;
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
    onEvent: (event, bytes) => listener.take(event, bytes),
  });
  listener.attach(socket, intents);
  const began = performance.now();
  const { code, isInvalid, isAnswered } = await socket.ended.finally(() => listener.detach());
  const hasLasted = isAnswered && performance.now() - began > LIVED_MS;
  const closed = judgeClose(code);
  if (closed.kind === 'unauthorized') throw new PlatformUnauthorized();
  if (!isInvalid && closed.kind === 'passing') return { waitMs: 0, isAnswered, hasLasted };
  // Also after a restart that a problem asks for, another session is to begin, with what was changed.
  listener.dropSession();
  // The portal may have withdrawn an intent since the session began. Then another one begins with what it grants now.
  const isOutdated = code === DISALLOWED_INTENTS && (await wantedIntents(deps)) !== intents;
  if (closed.kind === 'fatal' && !isOutdated) {
    access.problem = closed.problem;
    deps.logger.error(closed.problem);
    listener.note(closed.problem);
    return { waitMs: null, isAnswered, hasLasted };
  }
  // The platform asks for a random time between one and five seconds.
  return { waitMs: 1_000 + Math.random() * 4_000, isAnswered, hasLasted };
}

/** How long to rest after an error (ms). Throws one that does not pass. */
function restAfter({ signal, logger }: SyncDeps, listener: Listener, error: unknown): number {
  if (signal.aborted) return 0;
  if (isPassing(error)) return FIRST_DELAY_MS;
  const isIts =
    error instanceof PlatformAway || error instanceof NoSessionsLeft || isPermanent(error);
  if (!isIts) throw error;
  logger.warn({ err: error }, 'The gateway cannot be reached');
  listener.note(error.message);
  return error instanceof NoSessionsLeft ? Math.min(error.waitMs, LONGEST_REST_MS) : FIRST_DELAY_MS;
}

/** Milliseconds to rest after so many failures in a row. After the first few, the rest is short. */
function delayAfter(failures: number): number {
  if (failures <= MOST_AT_ONCE) return Math.random() * (FIRST_DELAY_MS / 4);
  return growingDelay(failures - MOST_AT_ONCE, FIRST_DELAY_MS, LONGEST_DELAY_MS);
}

/** The address to connect to: the token is sent there. */
function addressOf(told: string, { isPlain }: GatewayAccess): string {
  const url = parseUrl(told);
  const isSafe = url?.protocol === 'wss:' || (isPlain && url?.protocol === 'ws:');
  if (!url || !isSafe) throw new PlatformAnswerError('The gateway has no address of a web socket');
  url.searchParams.set('v', '10');
  url.searchParams.set('encoding', 'json');
  return url.href;
}
