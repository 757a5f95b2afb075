import type { Collections } from '../../../shared/store/collections.js';
import { idLister, idWindows, within, type IdWindow } from '../records/idWindow.js';

type PeopleStore = Pick<Collections, 'contributions' | 'members' | 'bodies'>;

/** The most contributions, totals or profiles whose people are looked at together. */
const MOST_TOGETHER = 2_000;

/** Windows that together hold everybody, each with few enough people to be counted together. */
export function peopleWindows(store: PeopleStore): AsyncGenerator<IdWindow> {
  const { contributions, members, bodies } = store;
  const sources = [
    idLister(contributions, 'userId'),
    idLister(members, 'userId'),
    idLister(bodies, '_id', 'user/'),
  ];
  return idWindows(sources, MOST_TOGETHER);
}

/** Yields the ids of everybody who wrote or has a stored profile, some at a time. */
export async function* everybody(collections: PeopleStore): AsyncGenerator<string[]> {
  for await (const window of peopleWindows(collections)) {
    yield await peopleWithin(collections, window);
  }
}

/** Ids of those in a window who wrote or have a stored profile. */
export async function peopleWithin(
  { contributions, bodies }: Pick<Collections, 'contributions' | 'bodies'>,
  window: IdWindow,
): Promise<string[]> {
  const [wrote, names]: string[][] = await Promise.all([
    contributions.distinct('userId', { userId: within(window) }),
    bodies.distinct('_id', { _id: within(window, 'user/') }),
  ]);
  const shown = names!.map((name) => name.slice('user/'.length));
  return [...new Set([...wrote!, ...shown])];
}
