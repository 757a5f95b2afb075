/** Profiles of users, and leaderboards of servers. */
import Joi from 'joi';
import {
  count,
  cursorParameter,
  flag,
  id,
  limitParameter,
  listOf,
  oneOf,
  pageEnd,
  text,
  time,
} from './fields.js';
import { threadSummarySchema, type ThreadSummary } from './threads.js';

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

/** Checks a UserProfile. */
export const userProfileSchema = Joi.object<UserProfile, true>({
  id: id('User id'),
  username: text('Account name'),
  displayName: text('Name a reader would have seen last'),
  avatar: text('Address of the picture, of the platform or of this service'),
  isBot: flag('Whether this is a bot'),
  messageCount: count('Messages they wrote'),
  threadCount: count('Threads they started'),
  reactionCount: count('Reactions that their messages received'),
  firstSeenAt: time('When they first wrote'),
  lastSeenAt: time('When they last wrote'),
  servers: listOf(
    Joi.object<UserProfile['servers'][number], true>({
      serverId: id('Server id'),
      serverName: text('Name of the server'),
      messageCount: count('Messages they wrote there'),
      threadCount: count('Threads they started there'),
    }),
    'Servers they wrote on',
  ),
  recentThreads: listOf(
    threadSummarySchema,
    'The 10 threads they last wrote in, newest of their messages first',
  ),
});

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

/** Checks a LeaderboardEntry. */
export const leaderboardEntrySchema = Joi.object<LeaderboardEntry, true>({
  rank: count('Place, from 1; equal counts share it'),
  userId: id('User id'),
  username: text('Account name'),
  displayName: text('Name a reader would have seen last'),
  avatar: text('Address of the picture, of the platform or of this service'),
  isBot: flag('Whether this is a bot'),
  count: count('Messages, threads or reactions in the period'),
}).description('A line of a leaderboard');

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

/** Checks a Leaderboard. */
export const leaderboardSchema = Joi.object<Leaderboard, true>({
  serverId: id('Server id'),
  serverName: text('Name of the server'),
  type: oneOf(LEADERBOARD_TYPES, 'What is counted'),
  period: oneOf(LEADERBOARD_PERIODS, 'The time over which it is counted'),
  leaderboard: listOf(leaderboardEntrySchema, 'Highest count first, then by id'),
  ...pageEnd(),
});

/** Query of GET /leaderboard/:serverId. */
export interface LeaderboardQuery {
  type: LeaderboardType;
  period: LeaderboardPeriod;
  excludeBots: boolean;
  limit: number;
  cursor?: string;
}

/** Checks a LeaderboardQuery. */
export const leaderboardQuerySchema = Joi.object<LeaderboardQuery, true>({
  type: Joi.string()
    .valid(...LEADERBOARD_TYPES)
    .default('messages')
    .description('messages: written; threads: started; reactions: received'),
  period: Joi.string()
    .valid(...LEADERBOARD_PERIODS)
    .default('all')
    .description('all; month: the last 30 days; week: the last 7 days (UTC, today included)'),
  excludeBots: Joi.boolean().default(true).description('Whether bots are left out'),
  limit: limitParameter(),
  cursor: cursorParameter(),
});
