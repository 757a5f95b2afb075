import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { startListening } from '../../../shared/platform/startListening.js';
import { answerClientErrors, MOST_HEADERS, refuse, type Unlisted } from './clientErrors.js';
import { closeSlowly } from './closeSlowly.js';
import type { PeerReader } from './credentials/addressReader.js';
import { KEEP_ALIVE_MS, PreparedResponse } from './preparedResponse.js';
import type { Refused } from './reportRefusals.js';

/** A server that listens. */
export interface Listener {
  /** `http://host:port`. */
  url: string;
  /** Stops taking connections, answers the requests under way, and resolves when every connection is closed. */
  drain(): Promise<void>;
}

/** How many requests may wait on one connection at most. */
const MOST_WAITING = 32;

/** The value of `onIncoming` that makes Node's parser stop. */
const STOP = 2;

/** Answers a request. */
export type RequestHandler = (request: IncomingMessage, response: PreparedResponse) => void;

export interface ListenOptions {
  host: string;
  port: number;
  /**
   * How long idle connections stay open after a drain has begun (ms). Meanwhile, each answer asks its client to close
   * the connection.
   */
  graceMs?: number;
  /** A connection is closed when no byte moves on it for so long (ms) during a request. */
  idleMs?: number;
  /** The most connections that are open at once. Further ones are closed. */
  connections?: number;
  /** The most open connections under one name. Without this limit, one client could hold all of them. */
  connectionsOfOne?: number;
  /** Reads the name under which a connection is counted. Without a name, only the limit of all connections applies. */
  peerOf?: PeerReader | undefined;
  /** Is called for each connection beyond a limit, and for each request that is refused before it reaches the handler. */
  onRefused?: (refused: Refused) => void;
}

/**
 * Listens at an address, and passes each request to `handler`. The requests of one connection are handled one after the
 * other. Connections that are slow, idle or too many are closed. Rejects with SettingsError where the address cannot be
 * listened on.
 */
export async function listen(handler: RequestHandler, options: ListenOptions): Promise<Listener> {
  const { host, port, onRefused = () => undefined, graceMs = 500, idleMs = 60_000 } = options;
  let draining = false;
  const server = createServer(
    {
      headersTimeout: 10_000,
      // No limit here, because an upload takes longer than other requests. `readBody` limits how long each body takes.
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      ServerResponse: PreparedResponse,
      connectionsCheckingInterval: 1_000,
      // Node would refuse a request without a Host header by an answer without a body. So the handler checks it.
      requireHostHeader: false,
    },
    oneByOne(
      limitHeaders(
        atEndOfTurn((request, response) => {
          if (draining) response.setHeader('Connection', 'close');
          handler(request, response);
        }),
        onRefused,
      ),
    ),
  );
  server.setTimeout(idleMs);
  server.maxHeadersCount = MOST_HEADERS + 1;
  limitConnections(server, options);
  stopParsingClosed(server);
  answerClientErrors(server, onRefused);
  server.prependListener('request', (request: IncomingMessage) => closeSlowly(request));
  const closeUnused = unusedConnections(server);
  await startListening(server, { host, port, setting: 'PORT' });
  const drain = async (): Promise<void> => {
    draining = true;
    const closed = stopListening(server);
    await elapsed(graceMs);
    const sweep = setInterval(closeUnused, 50);
    await closed;
    clearInterval(sweep);
  };
  return { url: urlOf(server.address() as AddressInfo), drain };
}

/**
 * Handles the requests of a connection one after the other. A client may send many requests before it reads an answer
 * (pipelining). Node would handle all of them at once, and keep the answers in memory until the client reads them.
 * Here, a request waits until all answers before its own are sent. While any request waits, nothing more is read from
 * the connection. What was already read may hold thousands of requests. So a connection is closed where more than
 * MOST_WAITING wait.
 */
function oneByOne(handler: RequestHandler): RequestHandler {
  const waiting = new WeakMap<Socket, number>();
  const hold = (socket: Socket): void => {
    const before = waiting.get(socket);
    waiting.set(socket, (before ?? 0) + 1);
    if (before === MOST_WAITING) socket.destroy();
    socket.pause();
    if (before !== undefined) return;
    // Node resumes a connection when it has parsed a whole request, or sent an answer.
    socket.on('resume', () => {
      // Where nothing can be sent any more, the waiting requests will never be handled.
      if (waiting.get(socket)! > 0 && socket.writable) socket.pause();
    });
  };
  const release = (socket: Socket): void => {
    const left = waiting.get(socket)! - 1;
    waiting.set(socket, left);
    if (left === 0) socket.resume();
  };
  return (request, response) => {
    // Node gives a response its socket once all responses before it are sent.
    if (response.socket) {
      handler(request, response);
      return;
    }
    const { socket } = request;
    hold(socket);
    response.once('socket', () => {
      release(socket);
      handler(request, response);
    });
  };
}

/**
 * Refuses a request with more than MOST_HEADERS headers. Node limits names and values to 16 kB in all, so 16,000
 * headers of one letter would pass, and take almost a megabyte. Node's `maxHeadersCount` limits how many headers are
 * kept. But Node 20 drops the others without an error, and a proxy may have put the client's address into the last one.
 * So Node keeps one header more than is allowed, and this function refuses a request that has it. Node 24 refuses a
 * request with even more by itself.
 */
function limitHeaders(
  handler: RequestHandler,
  onRefused: (refused: Refused) => void,
): RequestHandler {
  return (request, response) => {
    // Names and values alternate.
    if (request.rawHeaders.length <= 2 * MOST_HEADERS) {
      handler(request, response);
      return;
    }
    onRefused({ status: 431 });
    refuse(response, 431, `A request may have at most ${MOST_HEADERS} headers`);
  };
}

/**
 * Collects the requests that arrive in one turn of the event loop. At the end of the turn, it handles them one after
 * the other, so that their answers are written close together. On the same machine, this saves processor time: a client
 * or proxy sleeps while it waits for answers, and the write of the first one wakes it. It is then still awake for the
 * others. If the answers were further apart, each write would have to wake it.
 */
function atEndOfTurn(handler: RequestHandler): RequestHandler {
  let arrived: Parameters<RequestHandler>[] = [];
  const handleAll = (): void => {
    const all = arrived;
    arrived = [];
    for (const [request, response] of all) handler(request, response);
  };
  return (request, response) => {
    if (arrived.push([request, response]) === 1) setImmediate(handleAll);
  };
}

/**
 * Closes connections beyond a limit, and those whose client is gone. Node's own `maxConnections` does not suit several
 * processes: a process at its limit hands a new connection back to the parent. Where all of them are at their limits,
 * the connection would go round without end.
 */
function limitConnections(
  server: Server,
  {
    connections = 10_000,
    connectionsOfOne = 1_000,
    peerOf = () => undefined,
    onRefused,
  }: ListenOptions,
): void {
  let open = 0;
  const openOf = new Map<string, number>();
  const add = (peer: string, change: 1 | -1): number => {
    const count = (openOf.get(peer) ?? 0) + change;
    if (count > 0) openOf.set(peer, count);
    else openOf.delete(peer);
    return count;
  };
  server.on('connection', (socket) => {
    // A client may reset its connection before this process accepts it. Then Node can still read its requests, but not
    // its address. So the requests could not be counted under it. Node remembers the address of any other connection
    // once it was read here.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    open += 1;
    const ofPeer = peer === undefined ? 0 : add(peer, 1);
    socket.once('close', () => {
      open -= 1;
      if (peer !== undefined) add(peer, -1);
    });
    if (open <= connections && ofPeer <= connectionsOfOne) return;
    onRefused?.({ tooMany: open > connections ? 'all' : 'address' });
    socket.destroy();
  });
}

/**
 * Makes the parser of a connection stop once nothing can be sent on the connection any more. One read from a connection
 * brings up to 64 kB, which may hold thousands of requests. Node would parse all of them, although nobody can get the
 * answers. Meanwhile, other clients would have to wait.
 */
function stopParsingClosed(server: Server): void {
  server.on('connection', (socket: Socket) => {
    const { parser } = socket as unknown as Unlisted;
    if (!parser) return;
    const takeRequest = parser.onIncoming;
    parser.onIncoming = (request, keepAlive) =>
      socket.writable ? takeRequest(request, keepAlive) : STOP;
  });
}

/**
 * Makes a function that closes the connections on which no request is arriving or under way. Node's own method does not
 * suit: it also closes connections whose answers are not sent to their ends yet, because their clients read slowly. And
 * it leaves open those that have brought no request yet. Browsers and proxies open such connections in advance.
 */
function unusedConnections(server: Server): () => void {
  /** For each open connection: how many requests are under way, and how many bytes had come when the last was answered. */
  const open = new Map<Socket, { underWay: number; heard: number }>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, { underWay: 0, heard: 0 });
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const use = open.get(socket);
    if (!use) return;
    use.underWay += 1;
    // It is emitted when the whole answer was sent, or the connection is closed.
    response.once('close', () => {
      use.underWay -= 1;
      use.heard = socket.bytesRead;
    });
  });
  return () => {
    for (const [socket, { underWay, heard }] of open) {
      if (underWay === 0 && socket.bytesRead === heard) socket.destroy();
    }
  };
}

/** Stops taking connections. Resolves when the last one is closed. */
function stopListening(server: Server): Promise<void> {
  // `close` of an HTTP server would also cut idle connections at once, although a request may be arriving on one.
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
