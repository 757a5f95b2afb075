import {
  GatewayCloseCodes as Close,
  GatewayDispatchEvents,
  GatewayIntentBits,
  GatewayOpcodes as Op,
} from 'discord-api-types/v10';
import type { RawData, WebSocket } from 'ws';
import type { GatewayCommand } from '../types.js';
import { createConnection, type Connection } from './connection.js';
import type { Session } from './session.js';

/** What a connected client may use of the gateway. */
export interface GatewayHost {
  heartbeatMs: number;
  token(): string;
  /** The intents that the developer portal does not grant now. */
  readonly forbiddenIntents: number;
  refuseWith: number | null;
  ignoresSessions: boolean;
  record(command: GatewayCommand): void;
  /** Counts an identify. False where it comes too soon. Too many of them reset the token. */
  countIdentify(): boolean;
  /** Starts a session, and sends the events that tell what exists. */
  start(intents: number, connection: Connection): Session;
  find(sessionId: string): Session | undefined;
  end(session: Session): void;
}

/** A client that is connected. */
export interface GatewayClient {
  connection: Connection;
  session: Session | null;
}

/** The code and reason with which the connection is closed. */
type Problem = [code: number, reason: string];

const SENDS_A_MINUTE = 120;
const TOO_FAST: Problem = [Close.RateLimited, 'You are being rate limited'];
const UNREADABLE: Problem = [Close.DecodeError, 'Error while decoding payload'];
/** All intents that exist. */
const ALL_INTENTS = Object.values(GatewayIntentBits).reduce<number>(
  (sum, bit) => (typeof bit === 'number' ? sum | bit : sum),
  0,
);

/** Serves a client until its connection is closed. */
export function serveClient(
  host: GatewayHost,
  socket: WebSocket,
  { place, query }: { place: GatewayCommand['place']; query: URLSearchParams },
): GatewayClient {
  const isCompressed = query.get('compress') === 'zlib-stream';
  const connection = createConnection(socket, isCompressed);
  const client: GatewayClient = { connection, session: null };
  let times: number[] = [];
  let lastBeat = performance.now();
  const watch = setInterval(() => {
    if (performance.now() - lastBeat > 3 * host.heartbeatMs) {
      connection.close(Close.UnknownError, 'No heartbeat');
    }
  }, host.heartbeatMs);

  const obey = (command: Command): Problem | null => {
    if (command.op !== Op.Heartbeat) return obeyCommand(host, client, place, command);
    lastBeat = performance.now();
    connection.signal(Op.HeartbeatAck, null);
    return null;
  };
  socket.on('message', (raw: RawData) => {
    times = [...times.filter((at) => at > performance.now() - 60_000), performance.now()];
    const command = parseCommand(raw);
    if (command) host.record({ op: command.op, place, at: Date.now() });
    const problem = times.length > SENDS_A_MINUTE ? TOO_FAST : command ? obey(command) : UNREADABLE;
    if (problem) connection.close(...problem);
  });
  socket.on('close', (code: number) => {
    clearInterval(watch);
    const { session } = client;
    if (session?.connection !== connection) return;
    session.detach();
    if (code === 1000 || code === 1001) host.end(session);
  });
  socket.on('error', () => undefined);

  if (query.get('v') !== '10') connection.close(Close.InvalidAPIVersion, 'Invalid API version');
  else connection.signal(Op.Hello, { heartbeat_interval: host.heartbeatMs });
  return client;
}

interface Command {
  op: number;
  d: Record<string, unknown>;
}

/** Carries out a command. Returns the code and reason to close with, if any. */
function obeyCommand(
  host: GatewayHost,
  client: GatewayClient,
  place: GatewayCommand['place'],
  { op, d }: Command,
): Problem | null {
  if (host.ignoresSessions) return null;
  if (op === Op.Identify) return identify(host, client, place, d);
  if (op === Op.Resume) return resume(host, client, d);
  if (op !== Op.PresenceUpdate && op !== Op.RequestGuildMembers && op !== Op.VoiceStateUpdate) {
    return [Close.UnknownOpcode, 'Unknown opcode'];
  }
  return client.session ? null : [Close.NotAuthenticated, 'Not authenticated'];
}

function identify(
  host: GatewayHost,
  client: GatewayClient,
  place: GatewayCommand['place'],
  { token, intents }: Record<string, unknown>,
): Problem | null {
  const { connection } = client;
  if (client.session) return [Close.AlreadyAuthenticated, 'Already authenticated'];
  if (host.refuseWith !== null) return [host.refuseWith, 'Refused'];
  if (token !== host.token()) return [Close.AuthenticationFailed, 'Authentication failed'];
  if (typeof intents !== 'number' || intents < 0 || (intents & ~ALL_INTENTS) !== 0) {
    return [Close.InvalidIntents, 'Invalid intent(s)'];
  }
  if (intents & host.forbiddenIntents) return [Close.DisallowedIntents, 'Disallowed intent(s)'];
  // The URL for resuming does not start sessions.
  if (!host.countIdentify() || place === 'resume') {
    connection.signal(Op.InvalidSession, false);
    return null;
  }
  client.session = host.start(intents, connection);
  return null;
}

function resume(
  host: GatewayHost,
  client: GatewayClient,
  { token, session_id: sessionId, seq }: Record<string, unknown>,
): Problem | null {
  if (client.session) return [Close.AlreadyAuthenticated, 'Already authenticated'];
  if (token !== host.token()) return [Close.AuthenticationFailed, 'Authentication failed'];
  const session = host.find(String(sessionId));
  if (session && Number(seq) > session.seq) return [Close.InvalidSeq, 'Invalid seq'];
  if (!session?.canResume(Number(seq))) {
    client.connection.signal(Op.InvalidSession, false);
    return null;
  }
  client.session = session;
  session.attach(client.connection);
  session.replay(Number(seq));
  session.dispatch(GatewayDispatchEvents.Resumed, { _trace: [] });
  return null;
}

function parseCommand(raw: RawData): Command | null {
  try {
    const { op, d } = JSON.parse((raw as Buffer).toString()) as Partial<Command>;
    return typeof op === 'number' ? { op, d: d ?? {} } : null;
  } catch {
    return null;
  }
}
