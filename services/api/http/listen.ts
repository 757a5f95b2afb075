import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { startListening } from '../../../shared/platform/startListening.js';
import { answerClientErrors, refuse } from './clientErrors.js';
import type { PeerReader } from './credentials/addressReader.js';
import { KEEP_ALIVE_MS, PreparedResponse } from './preparedResponse.js';

export interface Listener {
  /** `http://host:port`. */
  url: string;
  /** Stops taking connections, answers the requests under way, and resolves when every connection is closed. */
  drain(): Promise<void>;
}

/** The most requests that may wait on one connection. */
const MOST_WAITING = 32;

/** The most headers of a request. */
const MOST_HEADERS = 200;

/** What node:http returns to its parser to have it stop. */
const STOP = 2;

/** A property of connections that the types of node:http leave out. A later version of Node may not have it. */
interface Unlisted {
  /** `onIncoming` is called for each request when its headers are parsed. */
  parser?: { onIncoming: (request: IncomingMessage, keepAlive: boolean) => number };
}

/** Answers a request. */
export type RequestHandler = (request: IncomingMessage, response: PreparedResponse) => void;

export interface ListenOptions {
  host: string;
  port: number;
  /**
   * How long connections may still be used after a drain has begun (ms). Each answer asks its client to close the
   * connection.
   */
  graceMs?: number;
  /** A connection is closed when nothing moves on it for so long (ms) in the middle of a request. */
  idleMs?: number;
  /** The most connections that are open at once. Further ones are closed. */
  connections?: number;
  /** The most connections under one name. Without this limit, one client could hold all of them. */
  connectionsOfOne?: number;
  /**
   * Reads the name under which a connection is counted. Connections without a name count only towards all connections.
   */
  peerOf?: PeerReader | undefined;
}

/**
 * Serves requests at an address. The requests of one connection are handled one after the other. Connections that are
 * slow, idle or too many are closed. Throws SettingsError where the port is taken.
 */
export async function listen(handler: RequestHandler, options: ListenOptions): Promise<Listener> {
  const { host, port, graceMs = 500, idleMs = 60_000 } = options;
  let draining = false;
  const server = createServer(
    {
      headersTimeout: 10_000,
      // Each route limits how long its own body takes, because an upload takes longer than other requests.
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      ServerResponse: PreparedResponse,
      connectionsCheckingInterval: 1_000,
      // Node would refuse such a request without a body. So the handler checks the Host header.
      requireHostHeader: false,
    },
    oneByOne(
      limitHeaders(
        atEndOfTurn((request, response) => {
          if (draining) response.setHeader('Connection', 'close');
          handler(request, response);
        }),
      ),
    ),
  );
  server.setTimeout(idleMs);
  server.maxHeadersCount = MOST_HEADERS + 1;
  limitConnections(server, options);
  stopParsingClosed(server);
  answerClientErrors(server);
  await startListening(server, { host, port, setting: 'PORT' });
  const drain = async (): Promise<void> => {
    draining = true;
    const closed = stopListening(server);
    await elapsed(graceMs);
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearInterval(sweep);
  };
  return { url: urlOf(server.address() as AddressInfo), drain };
}

/**
 * Handles the requests of a connection one after the other. A client may send many requests before it reads an answer
 * (pipelining). Node would handle all of them at once, and keep the answers in memory until the client reads them. So a
 * request waits until its answer may be sent. While any request waits, nothing more is read from the connection. What
 * was read before may hold thousands of requests, so a connection on which too many wait is closed.
 */
function oneByOne(handler: RequestHandler): RequestHandler {
  const waiting = new WeakMap<Socket, number>();
  const hold = (socket: Socket): void => {
    const before = waiting.get(socket);
    waiting.set(socket, (before ?? 0) + 1);
    if (before === MOST_WAITING) socket.destroy();
    socket.pause();
    if (before !== undefined) return;
    // Node resumes reading when it has parsed a whole request, or sent an answer.
    socket.on('resume', () => {
      if (waiting.get(socket)! > 0) socket.pause();
    });
  };
  const release = (socket: Socket): void => {
    const left = waiting.get(socket)! - 1;
    waiting.set(socket, left);
    if (left === 0) socket.resume();
  };
  return (request, response) => {
    // A response gets the socket when all responses before it are sent.
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
 * Refuses a request with more than MOST_HEADERS headers. Node's own limit of 16 kB counts only names and values, so
 * 16,000 headers of one letter would pass, and take almost a megabyte. Node's `maxHeadersCount` bounds what is kept.
 * But Node drops the rest without an error, and with it perhaps the client's address, which a proxy adds last. So Node
 * keeps one header more than is allowed, and such a request is refused here.
 */
function limitHeaders(handler: RequestHandler): RequestHandler {
  return (request, response) => {
    // Names and values alternate.
    if (request.rawHeaders.length <= 2 * MOST_HEADERS) handler(request, response);
    else refuse(response, 431, `A request may have at most ${MOST_HEADERS} headers`);
  };
}

/**
 * Collects the requests that arrive in one turn of the event loop. At the end of the turn, it handles them one after
 * the other, so that their answers are written close together. A client sleeps while it waits for answers. The kernel
 * wakes it for the first one, and the client is still awake for the others. If the answers were further apart, the
 * kernel would wake the client for each of them, and that takes processor time of this process.
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
 * Closes connections beyond a limit, and those whose client is gone. Node's own limit does not suit several processes:
 * a full process hands a connection back, and where all are full, it is passed on without end.
 */
function limitConnections(
  server: Server,
  { connections = 10_000, connectionsOfOne = 1_000, peerOf = () => undefined }: ListenOptions,
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
    // its address, so they would count towards no limit of its own. Of any other connection, Node remembers the address
    // from here on.
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
    if (open > connections || ofPeer > connectionsOfOne) socket.destroy();
  });
}

/**
 * Makes the parser of a connection stop once the connection is closed. One read brings up to 64 kB, which can be
 * thousands of requests. Node would parse all of them, although nobody gets the answers, and other clients would wait
 * meanwhile.
 */
function stopParsingClosed(server: Server): void {
  server.on('connection', (socket: Socket) => {
    const { parser } = socket as unknown as Unlisted;
    if (!parser) return;
    const takeRequest = parser.onIncoming;
    parser.onIncoming = (request, keepAlive) =>
      socket.destroyed ? STOP : takeRequest(request, keepAlive);
  });
}

/** Stops taking connections. Resolves when the last one is closed. */
function stopListening(server: Server): Promise<void> {
  // The close of HTTP servers also cuts idle connections at once, and so any request that is just arriving on one.
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
