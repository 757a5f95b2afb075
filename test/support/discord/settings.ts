import type { RouteName } from './rest/routeNames.js';

/** How many requests of a route's bucket are answered in one window. */
export interface BucketSize {
  limit: number;
  windowMs: number;
}

/** How large the generated servers are. */
export interface HistorySize {
  guilds: number;
  /** The number of public forums in a guild. Each other kind has one forum. */
  forums: number;
  /** The number of threads in each public forum. */
  threads: number;
  /** The most messages of a thread. */
  messages: number;
  /** The number of members of a guild. */
  people: number;
  /** How many weeks the history covers. */
  weeks: number;
}

export interface Settings {
  seed: number;
  /** When the history ends and the model's clock starts (ms since the epoch). */
  startAt: number;
  history: HistorySize;
  /** Whether the developer portal grants the intent for message content. */
  messageContent: boolean;
  guildMembers: boolean;
  /** If false, every request is answered. */
  rateLimits: boolean;
  /** Buckets by route, which replace the usual ones. */
  buckets: Partial<Record<RouteName, BucketSize>>;
  /** The most requests in any window of `globalWindowMs`. */
  globalLimit: number;
  /** A second. On a busy machine, requests may arrive closer to each other than they were sent. */
  globalWindowMs: number;
  /** After so many answers with 401, 403 and 429 in ten minutes, everything is refused. */
  invalidRequestLimit: number;
  linkLifetimeSeconds: number;
  /** The base of links to files; null for the double's own. */
  cdnUrl: string | null;
  heartbeatMs: number;
  /** The least time between two identifies (ms). */
  identifySpacingMs: number;
  identifiesPerDay: number;
  /** The most events that a session keeps for a resume. */
  replayLimit: number;
  /** How long a session without a connection can be resumed (ms). */
  resumeMs: number;
}

/** Options of the double. Each has a default. The same seed gives the same servers. */
export type DiscordOptions = Partial<Omit<Settings, 'history'>> & {
  /** With null, the double starts without any guild. */
  history?: Partial<HistorySize> | null;
};

const NOTHING: HistorySize = { guilds: 0, forums: 0, threads: 0, messages: 0, people: 0, weeks: 0 };
const SMALL: HistorySize = {
  guilds: 1,
  forums: 2,
  threads: 12,
  messages: 20,
  people: 15,
  weeks: 300,
};

/** The options, with every default filled in. */
export function withDefaults({ history, ...options }: DiscordOptions): Settings {
  return {
    seed: 1,
    startAt: Date.UTC(2026, 8, 1),
    history: history === null ? NOTHING : { ...SMALL, ...history },
    messageContent: true,
    guildMembers: true,
    rateLimits: true,
    buckets: {},
    globalLimit: 50,
    globalWindowMs: 1_000,
    invalidRequestLimit: 10_000,
    linkLifetimeSeconds: 86_400,
    cdnUrl: null,
    heartbeatMs: 41_250,
    identifySpacingMs: 5_000,
    identifiesPerDay: 1_000,
    replayLimit: 1_000,
    resumeMs: 180_000,
    ...options,
  };
}
