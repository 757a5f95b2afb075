import { WebSocket, type RawData } from 'ws';

/** How to open a connection: it resumes a session after an event, or begins a session. */
export interface SocketOptions {
  /** The address, with version and encoding in its query. */
  url: string;
  token: string;
  /** The intents of a session that begins. A resumed session keeps its own. */
  intents: number;
  resume: { sessionId: string; seq: number } | null;
  /** Called with each event, and the length of its text. When it throws, the connection is closed. */
  onEvent: (event: SocketEvent, length: number) => void;
  /** When it is aborted, the connection is closed. The session can still be resumed. */
  signal: AbortSignal;
}

export interface SocketEvent {
  type: string;
  seq: number;
  data: unknown;
}

/** How a connection ended: its close code, and whether the platform said that the session cannot be resumed. */
export interface SocketEnd {
  code: number;
  /** What went wrong, in words. */
  why: string;
  isInvalid: boolean;
  /** Whether the platform answered that the session has begun, or was resumed. */
  isAnswered: boolean;
}

/** A connection to the gateway. */
export interface GatewaySocket {
  /** Resolves when the connection is closed. Rejects with the error that `onEvent` threw. */
  ended: Promise<SocketEnd>;
  /**
   * Stops reading from the connection, or goes on. Unread events wait at the platform. A pause that is set while the
   * connection opens takes effect when the connection has asked for its session. A pause before that would end the
   * connection without one.
   */
  setPaused(isPaused: boolean): void;
}

const OP = {
  event: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  ack: 11,
} as const;
/**
 * The close code that this side sends. The platform keeps the session after it. It would end the session after 1000 or
 * 1001.
 */
const LEAVE = 4_200;
/** The events that answer an identify and a resume. */
const ANSWERS = new Set(['READY', 'RESUMED']);
/**
 * How many heartbeats in a row, without an event between them, the platform may acknowledge before it answers an
 * identify or resume. With its heartbeat interval, that takes about two minutes.
 */
const MOST_UNANSWERED = 3;
/** How long (ms) to wait for the platform's hello, and for its side of a close. */
const PATIENCE_MS = 20_000;
const CLOSE_MS = 1_000;
/** No message of the gateway is nearly as large. */
const MOST_BYTES = 64 << 20;

/** Connects to the gateway, and keeps the connection alive until either side ends it. */
export function connectSocket(options: SocketOptions): GatewaySocket {
  const { signal } = options;
  const socket = new WebSocket(options.url, {
    handshakeTimeout: PATIENCE_MS,
    maxPayload: MOST_BYTES,
    perMessageDeflate: false,
  });
  const heart = createHeart(socket);
  let isInvalid = false;
  let thrown: Error | undefined;
  const leave = (): void => {
    socket.close(LEAVE);
    setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  };
  const silence = setTimeout(() => socket.terminate(), PATIENCE_MS);
  let isPaused = false;
  const applyPause = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (isPaused) socket.pause();
    else socket.resume();
  };
  let hasAsked = false;
  let isAnswered = false;
  let unanswered = 0;
  const obey = ({ op, t, s, d }: Payload, length: number): void => {
    if (op === OP.event) {
      const type = String(t);
      isAnswered ||= ANSWERS.has(type);
      unanswered = 0;
      options.onEvent({ type, seq: Number(s), data: d }, length);
    } else if (op === OP.heartbeat) heart.beat();
    else if (op === OP.ack) {
      heart.hear();
      unanswered += 1;
      // The connection lives, but the identify or resume was lost. It can only be sent again on another connection.
      if (!isAnswered && unanswered >= MOST_UNANSWERED) socket.terminate();
    } else if (op === OP.reconnect) leave();
    else if (op === OP.invalid) {
      isInvalid = d !== true;
      leave();
    } else if (op === OP.hello) {
      clearTimeout(silence);
      heart.start(intervalOf(d));
      // The platform may say hello again. Another identify would count among the sessions of the day.
      if (hasAsked) return;
      hasAsked = true;
      send(socket, options.resume ? resumeOf(options) : identifyOf(options));
      applyPause();
    }
    if (typeof s === 'number') heart.seq = s;
  };
  heart.seq = options.resume?.seq ?? null;
  socket.on('message', (raw: RawData) => {
    // Events may still arrive while the connection is being closed. They are not taken. The session is resumed after
    // the last event that was taken, and the platform sends the others again.
    if (socket.readyState !== WebSocket.OPEN) return;
    const text = (raw as Buffer).toString();
    const payload = parse(text);
    try {
      // When the session is resumed, the platform sends the unreadable message again.
      if (payload) obey(payload, text.length);
      else leave();
    } catch (error) {
      thrown = error as Error;
      leave();
    }
  });
  let why: string | undefined;
  // The event `close` follows. Where Node has tried several addresses of a host, the error has a code and no message.
  socket.on('error', ({ message, code }: NodeJS.ErrnoException) => {
    why = message || code;
  });
  signal.addEventListener('abort', leave);
  const ended = new Promise<SocketEnd>((resolve, reject) => {
    socket.on('close', (code) => {
      clearTimeout(silence);
      heart.stop();
      signal.removeEventListener('abort', leave);
      if (thrown) reject(thrown);
      else resolve({ code, why: why ?? `close code ${code}`, isInvalid, isAnswered });
    });
  });
  if (signal.aborted) socket.terminate();
  return {
    ended,
    setPaused(pauses) {
      if (pauses === isPaused) return;
      isPaused = pauses;
      applyPause();
    },
  };
}

interface Payload {
  op: number;
  t?: unknown;
  s?: unknown;
  d?: unknown;
}

function parse(text: string): Payload | null {
  try {
    const payload = JSON.parse(text) as Partial<Payload> | null;
    return typeof payload?.op === 'number' ? (payload as Payload) : null;
  } catch {
    return null;
  }
}

function send(socket: WebSocket, payload: { op: number; d: unknown }): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(payload));
}

function identifyOf({ token, intents }: SocketOptions): { op: number; d: object } {
  const name = 'forum-archive';
  const properties = { os: process.platform, browser: name, device: name };
  return { op: OP.identify, d: { token, intents, properties } };
}

function resumeOf({ token, resume }: SocketOptions): { op: number; d: object } {
  return { op: OP.resume, d: { token, session_id: resume!.sessionId, seq: resume!.seq } };
}

const SHORTEST_INTERVAL_MS = 100;
const LONGEST_INTERVAL_MS = 300_000;

function intervalOf(data: unknown): number {
  const { heartbeat_interval: told } = (data ?? {}) as { heartbeat_interval?: unknown };
  const interval = typeof told === 'number' ? told : LONGEST_INTERVAL_MS;
  return Math.min(Math.max(interval, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS);
}

/** Sends heartbeats, and ends the connection when the platform does not acknowledge them. */
interface Heart {
  /** The sequence number of the last event, which each heartbeat tells. */
  seq: number | null;
  start(intervalMs: number): void;
  beat(): void;
  hear(): void;
  stop(): void;
}

function createHeart(socket: WebSocket): Heart {
  let timer: NodeJS.Timeout | undefined;
  let isHeard = true;
  const next = (ms: number, intervalMs: number): void => {
    timer = setTimeout(() => {
      // While the connection is paused, no acknowledgement is read.
      if (!isHeard && !socket.isPaused) {
        socket.terminate();
        return;
      }
      isHeard = false;
      heart.beat();
      next(intervalMs, intervalMs);
    }, ms);
  };
  const heart: Heart = {
    seq: null,
    // The first heartbeat is sent after a random part of the interval, so that clients do not all send theirs at once.
    start(intervalMs) {
      // The platform may say hello again, with another interval.
      clearTimeout(timer);
      next(intervalMs * Math.random(), intervalMs);
    },
    beat: () => send(socket, { op: OP.heartbeat, d: heart.seq }),
    hear: () => {
      isHeard = true;
    },
    stop: () => clearTimeout(timer),
  };
  return heart;
}
