import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type {
  ContributionView,
  MemberView,
  RankView,
  ShownPerson,
} from '../../../shared/store/views.js';
import type { ServiceLinks } from '../views/serviceLinks.js';
import { firstDayOf, memberView, rankViews, type MemberTotals } from '../views/memberViews.js';
import type { Appearance } from './findAppearances.js';

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

/** Counts those people whose contributions match. Somebody who is not in `appearances` is left out. */
export async function countMembers(
  {
    collections,
    links,
  }: {
    collections: Pick<Collections, 'contributions'>;
    links: Pick<ServiceLinks, 'avatar'>;
  },
  which: Filter<ContributionView>,
  appearances: ReadonlyMap<string, Appearance>,
  at: CountedAt,
): Promise<CountedMembers> {
  const { version, today } = at;
  const totals = await addUp(collections, which, today);
  const known = totals.flatMap((one) => {
    const appearance = appearances.get(one.userId);
    return appearance ? [{ one, person: appearance.person }] : [];
  });
  return {
    members: known.map(({ one, person }) => memberView(one, person, version, today)),
    ranks: known.flatMap(({ one, person }) =>
      rankViews(one, withLink(person, links), version, today),
    ),
  };
}

/** Somebody as they are shown: with the link to their picture. */
export function withLink(person: ShownPerson, links: Pick<ServiceLinks, 'avatar'>): ShownPerson {
  return { ...person, avatar: links.avatar(person) };
}

/**
 * The totals of one person on one server. Where `day` is null, they are those of all time, otherwise those of that day.
 * Only days that a rolling period may still cover have totals of their own.
 */
type Sum = Omit<MemberTotals, 'days'> & { day: number | null };

/**
 * Adds up what some people did in their threads, server by server. The cost depends on the number of threads, and not
 * on how much somebody wrote of late.
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
    { $match: which },
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
