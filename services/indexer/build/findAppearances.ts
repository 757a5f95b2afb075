import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ContributionView, ShownPerson } from '../../../shared/store/views.js';

const RECENT_THREADS = 10;

/** How somebody is shown, and the ids of the threads that they last wrote in, newest first. */
export interface Appearance {
  person: ShownPerson;
  recentThreads: string[];
}

/** What contributions tell of one person. */
interface Seen {
  _id: string;
  last: ContributionView['author'];
  named: ContributionView['author'];
  recentThreads: string[];
}

/**
 * How people are shown, by their ids; only people whose contributions match are looked at. Name and picture come from
 * the last of their messages that may be read. The display name is the last one that a source told with such a message.
 * So a name disappears with the messages that were written under it.
 */
export async function findAppearances(
  { contributions }: Pick<Collections, 'contributions'>,
  which: Filter<ContributionView>,
): Promise<Map<string, Appearance>> {
  const latest = { lastAt: -1, threadId: -1 } as const;
  const seen = await contributions
    .aggregate<Seen>([
      { $match: which },
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
  return new Map(
    seen.map(({ _id: id, last, named, recentThreads }) => {
      const { username, avatar, isBot } = last;
      const person = { id, username, displayName: named.displayName, avatar, isBot };
      return [id, { person, recentThreads }];
    }),
  );
}
