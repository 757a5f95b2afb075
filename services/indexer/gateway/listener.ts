import Joi from 'joi';
import { checkedBy, snowflake, text } from '../../../shared/discordApi/answers.js';
import { PlatformAnswerError } from '../../../shared/discordApi/platformErrors.js';
import { seldom } from '../../../shared/platform/seldom.js';
import type { GatewaySession } from '../../../shared/store/state.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { readEvent, type GatewayEvent } from './gatewayEvents.js';
import type { GatewaySocket, SocketEvent } from './gatewaySocket.js';
import { createGatewaySaver, type GatewayNow } from './gatewayStore.js';
import { createEventRecorder } from './recordEvents.js';
import { createSessionProgress } from './sessionProgress.js';

const checkReady = checkedBy<{
  session_id: string;
  resume_gateway_url: string;
  user: { id: string };
}>(
  Joi.object({
    session_id: text(200).required(),
    resume_gateway_url: text(2_000).required(),
    user: Joi.object({ id: snowflake().required() }).required(),
  }).required(),
);

type Ready = ReturnType<typeof checkReady>;

/** The least time between two log lines about unreadable events of one type (ms). */
const TOLD_EVERY_MS = 60_000;

/**
 * Reads the data that begins a session. Throws PlatformAnswerError where it is wrong. The connection then fails, and
 * the archive learns of changes only from the platform's lists.
 */
function readReady(data: unknown): Ready {
  try {
    return checkReady(data);
  } catch (error) {
    throw new PlatformAnswerError(`READY: ${(error as Error).message}`);
  }
}

/** Takes the events of connections, and knows where the session is to be resumed. */
export interface Listener {
  /** The session to resume; null where the next connection begins another one. */
  readonly session: GatewaySession | null;
  /** The number of the last event of the session that was received. */
  readonly received: number;
  /** Takes over a new connection. A session that begins on it has these intents. */
  attach(socket: GatewaySocket, intents: number): void;
  detach(): void;
  /** Takes an event of the connection. Throws PlatformAnswerError where the data that begins a session is wrong. */
  take(event: SocketEvent, length: number): void;
  dropSession(): void;
  /** Notes why no events come; null while they do. */
  note(problem: string | null): void;
  /**
   * Waits until no event is being recorded, and stores the number of the last recorded event. Once the signal is
   * aborted, events that still wait are not recorded.
   */
  end(): Promise<void>;
}

/** The session to resume, or null for none, and when this process took the state of the gateway over. */
interface Taken {
  session: GatewaySession | null;
  takenAt: number;
}

/** Makes the listener of this process. */
export function createListener(deps: SyncDeps, taken: Taken): Listener {
  const recorder = createEventRecorder(deps);
  let { session } = taken;
  let progress = createSessionProgress(session?.seq ?? 0);
  let socket: GatewaySocket | null = null;
  let intents = 0;
  const told: Pick<GatewayNow, 'connectedAt' | 'lastEventAt' | 'problem'> = {
    connectedAt: null,
    lastEventAt: null,
    problem: null,
  };
  const now = (): GatewayNow => ({
    ...told,
    session: session && { ...session, seq: progress.recorded },
    waiting: recorder.waiting,
  });
  const saver = createGatewaySaver(deps.collections, taken.takenAt, now);
  const keepPace = (): void => socket?.setPaused(recorder.isFull);
  const begin = (data: unknown, seq: number): void => {
    const { session_id: id, resume_gateway_url: url, user } = readReady(data);
    session = { id, url, botId: user.id, intents, seq, since: new Date() };
    progress = createSessionProgress(seq);
    goOn();
  };
  const goOn = (): void => {
    deps.listening.since = session?.since ?? null;
    told.connectedAt = new Date();
    told.problem = null;
  };
  const tellers = new Map<string, (error: unknown) => void>();
  const tellUnreadable = (type: string, error: unknown): void => {
    const make = () =>
      seldom(TOLD_EVERY_MS, (err: unknown) =>
        deps.logger.warn({ err, type }, 'An event of the platform cannot be read'),
      );
    const tell = tellers.get(type) ?? make();
    tellers.set(type, tell);
    tell(error);
  };
  /**
   * Reads an event. Of an event of a wrong form, nothing is taken. It is logged, at most once a minute for each type:
   * where the platform has changed a form, every event of a type may have a wrong one.
   */
  const read = ({ type, data }: SocketEvent): GatewayEvent | 'unreadable' | null => {
    try {
      return readEvent(type, data, session?.botId ?? '');
    } catch (error) {
      tellUnreadable(type, error);
      return 'unreadable';
    }
  };
  const record = (event: SocketEvent, length: number): void => {
    const done = progress.receive(event.seq);
    const end = (): void => {
      done();
      keepPace();
      saver.touch();
    };
    const found = read(event);
    if (found === null) {
      end();
      return;
    }
    recorder.take(found, length, end);
    keepPace();
  };
  return {
    get session() {
      return session;
    },
    get received() {
      return progress.received;
    },
    attach(opened, asked) {
      socket = opened;
      intents = asked;
      // Events of an earlier connection may still wait to be recorded. So a pause lasts for the new connection, too.
      keepPace();
    },
    detach() {
      socket = null;
      told.connectedAt = null;
      saver.touch();
    },
    take(event, length) {
      told.lastEventAt = new Date();
      if (event.type === 'READY') begin(event.data, event.seq);
      else record(event, length);
      if (event.type === 'RESUMED') goOn();
      saver.touch();
    },
    dropSession() {
      session = null;
      deps.listening.since = null;
      saver.touch();
    },
    note(problem) {
      told.problem = problem;
      saver.touch();
    },
    async end() {
      await recorder.end();
      saver.touch();
      await saver.end();
    },
  };
}
