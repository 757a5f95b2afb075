import type { RouteName } from './rest/routeNames.js';

/** How many requests of a route's bucket are answered in a window. */
export interface BucketSize {
  limit: number;
  windowMs: number;
}

/** How large the generated servers are. */
export interface HistorySize {
  guilds: number;
  /** Public forums of a guild, beside one of each other kind. */
  forums: number;
  /** Threads of each public forum. */
  threads: number;
  /** Messages of a thread, at most. */
  messages: number;
  /** Members of a guild. */
  people: number;
  /** Weeks that the history covers. */
  weeks: number;
}

export interface Settings {
  seed: number;
  /** When the history ends and the model's clock starts, in milliseconds since the epoch. */
  startAt: number;
  history: HistorySize;
  /** Whether the portal grants the intent. */
  messageContent: boolean;
  guildMembers: boolean;
  /** False answers every request. */
  rateLimits: boolean;
  /** Buckets by route, in place of the usual ones. */
  buckets: Partial<Record<RouteName, BucketSize>>;
  /** Requests in any window that rolls. */
  globalLimit: number;
  /** A second; on a busy machine requests may arrive closer to each other than they were sent. */
  globalWindowMs: number;
  /** Answers by 401, 403 and 429 in ten minutes after which everything is refused. */
  invalidRequestLimit: number;
  linkLifetimeSeconds: number;
  /** Base of the links to files; null for the double's own. */
  cdnUrl: string | null;
  heartbeatMs: number;
  /** Least time between two identifies. */
  identifySpacingMs: number;
  identifiesPerDay: number;
  /** Events that a session keeps for a resume. */
  replayLimit: number;
  /** How long a session without a connection can be resumed. */
  resumeMs: number;
}

/** What may be chosen; everything has a default, and the same seed gives the same servers. */
export type DiscordOptions = Partial<Omit<Settings, 'history'>> & {
  /** Null starts without any guild. */
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

/** Options with every default filled in. */
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
