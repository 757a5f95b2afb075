/** Users and leaderboards (SPEC 4.10; shapes by DESIGN). */
import type { ThreadSummary } from './threads.js';

/** GET /users/:userId. `recentThreads`: the 10 threads they last wrote in, newest of their messages first. */
export interface UserProfile {
  id: string;
  username: string;
  displayName: string;
  avatar: string;
  isBot: boolean;
  messageCount: number;
  threadCount: number;
  /** Reactions that their messages received. */
  reactionCount: number;
  firstSeenAt: string;
  lastSeenAt: string;
  servers: { serverId: string; serverName: string; messageCount: number; threadCount: number }[];
  recentThreads: ThreadSummary[];
}

export const LEADERBOARD_TYPES = ['messages', 'threads', 'reactions'] as const;
export type LeaderboardType = (typeof LEADERBOARD_TYPES)[number];

/** Rolling periods: the last 30 and 7 days, today (UTC) included. */
export const LEADERBOARD_PERIODS = ['all', 'month', 'week'] as const;
export type LeaderboardPeriod = (typeof LEADERBOARD_PERIODS)[number];

/** A line of a leaderboard; equal counts share a rank. */
export interface LeaderboardEntry {
  rank: number;
  userId: string;
  username: string;
  displayName: string;
  avatar: string;
  isBot: boolean;
  count: number;
}

/** GET /leaderboard/:serverId. */
export interface Leaderboard {
  serverId: string;
  serverName: string;
  type: LeaderboardType;
  period: LeaderboardPeriod;
  leaderboard: LeaderboardEntry[];
  nextCursor: string | null;
  hasMore: boolean;
}
