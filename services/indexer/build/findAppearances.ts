import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ContributionView, ShownPerson } from '../../../shared/store/views.js';

const RECENT_THREADS = 10;

/** How somebody is shown, and the ids of the threads that they last wrote in, newest first. */
export interface Appearance {
  person: ShownPerson;
  recentThreads: string[];
}

/** What contributions tell of one person; null where rows of earlier versions do not tell it. */
interface Seen {
  _id: string;
  last: ContributionView['author'] | null;
  named: ContributionView['author'] | null;
  recentThreads: string[];
}

/**
 * How the people whose contributions match are shown, by their ids. Each is shown as in the last of their messages that
 * may be read, by the last display name that a source told: so a name goes with what was written by it. Whoever is not
 * recorded is left out.
 */
export async function findAppearances(
  { contributions, users }: Pick<Collections, 'contributions' | 'users'>,
  which: Filter<ContributionView>,
): Promise<Map<string, Appearance>> {
  const latest = { lastAt: -1, threadId: -1 } as const;
  const seen = await contributions
    .aggregate<Seen>([
      { $match: { ...which, messages: { $gt: 0 } } },
      {
        $group: {
          _id: '$userId',
          last: { $top: { sortBy: latest, output: '$author' } },
          named: { $top: { sortBy: { namedAt: -1, ...latest }, output: '$author' } },
          recentThreads: {
            $topN: { n: RECENT_THREADS, sortBy: latest, output: '$threadId' },
          },
        },
      },
    ])
    .toArray();
  const recorded = await users.find({ _id: { $in: seen.map(({ _id }) => _id) } }).toArray();
  const userById = new Map(recorded.map((user) => [user._id, user]));
  return new Map(
    seen.flatMap(({ _id: id, last, named, recentThreads }) => {
      const user = userById.get(id);
      if (!user) return [];
      const told = last && named ? { ...last, displayName: named.displayName } : user;
      const { username, displayName, avatar, isBot } = told;
      const person = { id, username, displayName, avatar, isBot };
      return [[id, { person, recentThreads }]];
    }),
  );
}
