import type {
  LeaderboardEntry,
  LeaderboardPeriod,
  LeaderboardType,
  UserProfile,
} from '../../../shared/contract/users.js';
import { LEADERBOARD_PERIODS, LEADERBOARD_TYPES } from '../../../shared/contract/users.js';
import { countKey, idKey, rankKey } from '../../../shared/store/listKeys.js';
import type {
  ContributionView,
  MemberView,
  RankView,
  ShownPerson,
} from '../../../shared/store/views.js';

/** Days a rolling period reaches back, today included. */
const PERIOD_DAYS = { month: 30, week: 7 } as const;

/** What one person did on one server: their contributions there, added up. */
export interface MemberTotals {
  serverId: string;
  userId: string;
  messages: number;
  threads: number;
  reactions: number;
  firstAt: Date;
  lastAt: Date;
  /** Days (UTC) of the longest rolling period on which they did something. */
  days: ContributionView['days'];
}

/** One person's row of a server. */
export function memberView(
  totals: MemberTotals,
  person: ShownPerson,
  version: number,
  today: number,
): MemberView {
  const { days, ...counts } = totals;
  return {
    _id: `${totals.serverId}/${totals.userId}`,
    ...counts,
    version,
    username: person.username,
    isBot: person.isBot,
    avatar: person.avatar,
    topKey: countKey(totals.messages) + countKey(totals.threads) + invertedIdKey(totals.userId),
    // A day that is still to come counts, too, as it will be in a period.
    ...(days.some(({ day }) => day >= firstDayOf('month', today)) && { periodDay: today }),
  };
}

/** A person's lines of the server's leaderboards: one for each type and period in which they have a count. */
export function rankViews(
  totals: MemberTotals,
  person: ShownPerson,
  version: number,
  today: number,
): RankView[] {
  return LEADERBOARD_PERIODS.flatMap((period) =>
    LEADERBOARD_TYPES.flatMap((type) => {
      const count = countOf(totals, type, period, today);
      return count > 0 ? [rankView(totals, person, version, type, period, count)] : [];
    }),
  );
}

/** The first day of a rolling period that still counts today. */
export function firstDayOf(period: Exclude<LeaderboardPeriod, 'all'>, today: number): number {
  return today - PERIOD_DAYS[period] + 1;
}

function countOf(
  totals: MemberTotals,
  type: LeaderboardType,
  period: LeaderboardPeriod,
  today: number,
): number {
  if (period === 'all') return totals[type];
  const first = firstDayOf(period, today);
  return totals.days
    .filter(({ day }) => day >= first && day <= today)
    .reduce((sum, counts) => sum + counts[type], 0);
}

function rankView(
  { serverId, userId }: MemberTotals,
  person: ShownPerson,
  version: number,
  type: LeaderboardType,
  period: LeaderboardPeriod,
  count: number,
): RankView {
  const board = `${serverId}/${type}/${period}`;
  const line: Omit<LeaderboardEntry, 'rank'> = {
    userId,
    username: person.username,
    displayName: person.displayName,
    avatar: person.avatar,
    isBot: person.isBot,
    count,
  };
  return {
    _id: `${board}/${userId}`,
    member: `${serverId}/${userId}`,
    version,
    boards: person.isBot ? [`${board}/all`] : [`${board}/all`, `${board}/humans`],
    key: rankKey(count, userId),
    count,
    item: JSON.stringify(line).slice(1),
  };
}

/**
 * A key by which ids come in ascending order where the sort is descending: each digit is replaced by its complement to
 * 9.
 */
function invertedIdKey(id: string): string {
  return idKey(id).replace(/\d/g, (digit) => String(9 - Number(digit)));
}

/** The answer of GET /users/:userId without its recent threads. The caller adds these as stored texts. */
export function presentUser(
  person: ShownPerson,
  members: (MemberView & { serverName: string })[],
): Omit<UserProfile, 'recentThreads'> {
  const total = (field: 'messages' | 'threads' | 'reactions'): number =>
    members.reduce((sum, row) => sum + row[field], 0);
  const times = members.flatMap(({ firstAt, lastAt }) => [firstAt.getTime(), lastAt.getTime()]);
  return {
    id: person.id,
    username: person.username,
    displayName: person.displayName,
    avatar: person.avatar,
    isBot: person.isBot,
    messageCount: total('messages'),
    threadCount: total('threads'),
    reactionCount: total('reactions'),
    firstSeenAt: new Date(Math.min(...times)).toISOString(),
    lastSeenAt: new Date(Math.max(...times)).toISOString(),
    servers: members.map(({ serverId, serverName, messages, threads }) => ({
      serverId,
      serverName,
      messageCount: messages,
      threadCount: threads,
    })),
  };
}
