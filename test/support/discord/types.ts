import type { DiscordModel } from './model/model.js';
import type { RouteName } from './rest/routeNames.js';
import type { Settings } from './settings.js';

/** Why a request was answered with 429. `unknownBucket` means that no answer had told the client of the bucket. */
export type LimitCause =
  | 'bucket'
  | 'unknownBucket'
  | 'global'
  | 'shared'
  | 'cloudflare'
  | 'ban'
  | 'withoutRetryAfter';

export interface RequestEntry {
  method: string;
  /** The path with its query, without the base. */
  path: string;
  /** Null where no route matches. */
  route: RouteName | null;
  /** The guild, channel or user in the path. */
  subject: string | null;
  /** 0 where the connection was cut. */
  status: number;
  /** Set for a 429. */
  cause?: LimitCause;
  /** When the request arrived (ms since the epoch). */
  at: number;
}

/** What the next requests meet in place of an answer. */
export type Fault =
  | 'notFound'
  | 'serverError'
  | 'badGateway'
  | 'unavailable'
  | 'cut'
  | 'cutBody'
  | 'held'
  | 'garbled'
  | 'shared'
  | 'cloudflare'
  | 'withoutRetryAfter';

export interface Faults {
  /** The time between making an answer and sending it (ms). */
  latencyMs: number;
  /**
   * Makes the next requests meet a fault: one by default, and until `clear` with Infinity. `route` limits it to one
   * route.
   */
  next(fault: Fault, options?: { times?: number; route?: RouteName }): void;
  /** Ends all faults, latency included. Answers that are held back are sent. */
  clear(): void;
  /** Calls an action before each answer of a route. It can, for example, move a thread between two pages. */
  before(route: RouteName, action: (entry: RequestEntry) => void): () => void;
}

export interface Limits {
  /** How many 429 answers were given, by cause. */
  counts: Record<LimitCause, number>;
  /** How many answers with 401, 403 and 429, without shared limits, were given in the last ten minutes. */
  invalidRequests(): number;
  /** Gives all buckets another hash, and so an unused window. A factor changes their sizes. */
  renewBuckets(factor?: number): void;
  /** For this long (s), Cloudflare answers everything with a 429 that is no JSON. */
  blockByCloudflare(seconds: number): void;
}

/** A command that a client sent to the gateway. */
export interface GatewayCommand {
  op: number;
  /** Where it was sent: to the gateway, or to the URL for resuming. */
  place: 'gateway' | 'resume';
  at: number;
}

export interface GatewayControls {
  /** How many connections are open now. */
  readonly connections: number;
  /** How many connections were ever opened. */
  readonly opened: number;
  /** The number of the last event of a session; null where that is not known. */
  lastEventOf(sessionId: string): number | null;
  /** The commands received so far, heartbeats included. */
  commands: GatewayCommand[];
  /** How many identifies are left today. */
  identifiesLeft: number;
  /** Closes all connections with a code. Sessions can still be resumed, unless the code ends them. */
  close(code: number, reason?: string): void;
  /** Cuts all connections without a closing handshake. */
  cut(): void;
  /** Asks all clients to reconnect (op 7). */
  requestReconnect(): void;
  /** Tells all clients that their session is invalid (op 9). */
  invalidate(isResumable: boolean): void;
  /** Forgets all sessions, so that no resume succeeds. */
  forgetSessions(): void;
  /** While true, answers no heartbeat and sends no event, but keeps connections open. */
  freeze(isFrozen: boolean): void;
  /** Keeps events back until `release`. They get their numbers when they are sent. */
  hold(): void;
  /** Sends what was kept back. */
  release(order?: 'inOrder' | 'reversed' | 'shuffled'): void;
  /** How often each event is sent (default 1). Each copy is another event of the session. */
  copies: number;
  /** Whether the first message of a post is told before its thread. */
  starterFirst: boolean;
  /** The close code with which connections are refused once they identify; null for none. */
  refuseWith: number | null;
  /** If true, answers no identify and no resume, but heartbeats. */
  ignoresSessions: boolean;
}

/** The double of the platform: an HTTP server with a gateway and a CDN, on top of a model. */
export interface DiscordDouble {
  /** The base of the API, such as https://discord.com/api/v10. */
  url: string;
  /** The base of links to attachments, avatars and icons. */
  cdnUrl: string;
  gatewayUrl: string;
  /** The token of the bot. It changes when it is reset. */
  readonly token: string;
  model: DiscordModel;
  settings: Settings;
  /** The requests to the API so far. */
  requests: RequestEntry[];
  /** Calls a listener with each answer that is sent. Returns a function that ends this. */
  onAnswer(listener: (entry: RequestEntry, body: unknown) => void): () => void;
  limits: Limits;
  faults: Faults;
  gateway: GatewayControls;
  /** Makes the token invalid. Requests are answered with 401, and sessions are closed with 4004. */
  resetToken(): void;
  /** Whether a link to an attachment works now: its signature is right and has not expired, and the file exists. */
  isFreshLink(url: string): boolean;
  close(): Promise<void>;
}
