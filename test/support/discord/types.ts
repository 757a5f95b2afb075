import type { DiscordModel } from './model/model.js';
import type { RouteName } from './rest/routeNames.js';
import type { Settings } from './settings.js';

/** Why a request was answered by 429. `unknownBucket`: no answer had told the client of the bucket. */
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
  /** With its query, without the base. */
  path: string;
  /** Null where no route matches. */
  route: RouteName | null;
  /** The guild, channel or user of the path. */
  subject: string | null;
  /** 0 where the connection was cut. */
  status: number;
  /** Of a 429. */
  cause?: LimitCause;
  /** Milliseconds since the epoch at which the request arrived. */
  at: number;
}

/** What the next requests meet in place of their answer. */
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
  /** Milliseconds between the moment an answer is made and its sending. */
  latencyMs: number;
  /** The next requests (default one, Infinity until `clear`), of one route or of any, meet a fault. */
  next(fault: Fault, options?: { times?: number; route?: RouteName }): void;
  /** Ends all faults, latency included; answers that are held are sent. */
  clear(): void;
  /** Called before each request of a route is answered, such as to move a thread while it is paged for. */
  before(route: RouteName, action: (entry: RequestEntry) => void): () => void;
}

export interface Limits {
  /** How often a 429 was given, by cause. */
  counts: Record<LimitCause, number>;
  /** Answers by 401, 403 and 429 (but shared) in the last ten minutes. */
  invalidRequests(): number;
  /** Gives all buckets another hash and so an unused window; a factor changes how much each holds. */
  renewBuckets(factor?: number): void;
  /** For this long everything is answered by Cloudflare's 429, which is no JSON. */
  blockByCloudflare(seconds: number): void;
}

/** A command that a client sent to the gateway. */
export interface GatewayCommand {
  op: number;
  /** Where it was sent: the gateway, or the URL for resuming. */
  place: 'gateway' | 'resume';
  at: number;
}

export interface GatewayControls {
  /** Connections that are open now. */
  readonly connections: number;
  /** How many were ever opened. */
  readonly opened: number;
  /** The number of the last event of a session; null where it is not known. */
  lastEventOf(sessionId: string): number | null;
  /** Commands received so far, heartbeats included. */
  commands: GatewayCommand[];
  /** Identifies left today. */
  identifiesLeft: number;
  /** Closes all connections with a code. The sessions stay resumable unless the code ends them. */
  close(code: number, reason?: string): void;
  /** Cuts all connections without a closing handshake. */
  cut(): void;
  /** Asks all clients to reconnect (op 7). */
  requestReconnect(): void;
  /** Tells all clients that their session is invalid (op 9). */
  invalidate(isResumable: boolean): void;
  /** Forgets all sessions, so that no resume succeeds. */
  forgetSessions(): void;
  /** Stops answering heartbeats and sending events while connections stay open. */
  freeze(isFrozen: boolean): void;
  /** Keeps events back until `release`; they get their numbers when they are sent. */
  hold(): void;
  /** Sends what was kept back. */
  release(order?: 'inOrder' | 'reversed' | 'shuffled'): void;
  /** How many times each event is sent (default 1), as another event of the session. */
  copies: number;
  /** Whether a post's first message is told before its thread. */
  starterFirst: boolean;
  /** Refuses connections with a close code, from the identify on; null ends it. */
  refuseWith: number | null;
  /** Answers no identify and no resume, only heartbeats. */
  ignoresSessions: boolean;
}

/** The double of the platform: an HTTP server with a gateway and a CDN over a model. */
export interface DiscordDouble {
  /** Base of the API, as https://discord.com/api/v10 is. */
  url: string;
  /** Base of the links to attachments, avatars and icons. */
  cdnUrl: string;
  gatewayUrl: string;
  /** The bot's token. It changes when it is reset. */
  readonly token: string;
  model: DiscordModel;
  settings: Settings;
  /** What was asked of the API so far. */
  requests: RequestEntry[];
  /** Calls a listener with each answer that is sent; gives a function that ends it. */
  onAnswer(listener: (entry: RequestEntry, body: unknown) => void): () => void;
  limits: Limits;
  faults: Faults;
  gateway: GatewayControls;
  /** The token is valid no more: requests are answered by 401, and sessions closed with 4004. */
  resetToken(): void;
  /** Whether a link to an attachment opens now: its signature is right and has not expired, and the file exists. */
  isFreshLink(url: string): boolean;
  close(): Promise<void>;
}
