import type { MemberView, RankView, ShownPerson } from '../../../shared/store/views.js';
import type { ServiceLinks } from '../views/serviceLinks.js';
import { memberView, rankViews } from '../views/memberViews.js';
import type { PeopleSums } from './addUpPeople.js';

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

/** Counts people from what they did. */
export function countMembers(
  { links }: { links: Pick<ServiceLinks, 'avatar'> },
  { appearances, totals }: PeopleSums,
  { version, today }: CountedAt,
): CountedMembers {
  const known = totals.map((one) => ({ one, person: appearances.get(one.userId)!.person }));
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
