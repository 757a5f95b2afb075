import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { UserRecord } from '../../../shared/store/records.js';
import type { ContributionView, MemberView, RankView } from '../../../shared/store/views.js';
import type { ServiceLinks } from '../views/serviceLinks.js';
import { firstDayOf, memberView, rankViews, type MemberTotals } from '../views/memberViews.js';

/** The version that counted rows get, and the UTC day (since the epoch) on which rolling periods end. */
export interface CountedAt {
  version: number;
  today: number;
}

/** People's rows on servers, and their lines of the leaderboards. */
export interface CountedMembers {
  members: MemberView[];
  ranks: RankView[];
}

/** Counts those people whose contributions match; whoever is not recorded is left out. */
export async function countMembers(
  {
    collections,
    links,
  }: {
    collections: Pick<Collections, 'contributions' | 'users'>;
    links: Pick<ServiceLinks, 'avatar'>;
  },
  which: Filter<ContributionView>,
  at: CountedAt,
): Promise<CountedMembers> {
  const { version, today } = at;
  const totals = await addUp(collections, which, today);
  const ids = [...new Set(totals.map(({ userId }) => userId))];
  const users = await collections.users.find({ _id: { $in: ids } }).toArray();
  const userById = new Map(users.map((user) => [user._id, withLink(user, links)]));
  const known = totals.flatMap((one) => {
    const user = userById.get(one.userId);
    return user ? [{ one, user }] : [];
  });
  return {
    members: known.map(({ one, user }) => memberView(one, user, version, today)),
    ranks: known.flatMap(({ one, user }) => rankViews(one, user, version, today)),
  };
}

/** Somebody as they are shown: with the link to their picture. */
export function withLink(user: UserRecord, links: Pick<ServiceLinks, 'avatar'>): UserRecord {
  return { ...user, avatar: links.avatar({ id: user._id, avatar: user.avatar }) };
}

/** What one person did on one server: in all, or on a day that may still count for a rolling period. */
type Sum = Omit<MemberTotals, 'days'> & { day: number | null };

/**
 * Adds up what some people did in each thread, server by server. The work grows with the number of threads alone,
 * however much somebody did of late.
 */
async function addUp(
  { contributions }: Pick<Collections, 'contributions'>,
  which: Filter<ContributionView>,
  today: number,
): Promise<MemberTotals[]> {
  const counts = { messages: '$messages', threads: '$threads', reactions: '$reactions' };
  const recent = {
    $filter: { input: '$days', cond: { $gte: ['$$this.day', firstDayOf('month', today)] } },
  };
  const sums = contributions.aggregate<Sum>([
    { $match: { ...which, messages: { $gt: 0 } } },
    { $set: { part: { $concatArrays: [[{ day: null, ...counts }], recent] } } },
    { $unwind: '$part' },
    {
      $group: {
        _id: { serverId: '$serverId', userId: '$userId', day: '$part.day' },
        messages: { $sum: '$part.messages' },
        threads: { $sum: '$part.threads' },
        reactions: { $sum: '$part.reactions' },
        firstAt: { $min: '$firstAt' },
        lastAt: { $max: '$lastAt' },
      },
    },
    { $replaceWith: { $mergeObjects: ['$_id', '$$ROOT'] } },
    { $unset: '_id' },
  ]);
  const totals = new Map<string, MemberTotals>();
  const days = new Map<string, MemberTotals['days']>();
  for await (const { day, ...sum } of sums) {
    const member = `${sum.serverId}/${sum.userId}`;
    const own = days.get(member) ?? [];
    days.set(member, own);
    if (day === null) totals.set(member, { ...sum, days: own });
    else {
      const { messages, threads, reactions } = sum;
      own.push({ day, messages, threads, reactions });
    }
  }
  return [...totals.values()];
}
