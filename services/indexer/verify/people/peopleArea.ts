import { firstDayOf } from '../../views/memberViews.js';
import type { Area, AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { idWindows, namedWindows, within, type IdWindow } from '../idWindow.js';
import { checkErased } from './checkErased.js';
import { checkMembers } from './checkMembers.js';
import { checkProfiles } from './checkProfiles.js';
import { checkRanks } from './checkRanks.js';
import type { PeopleCheck, PeopleLook } from './personLook.js';
import { recountPeople } from './recountPeople.js';

/** The index of what is compared of each person: one line a check. */
const CHECKS: readonly PeopleCheck[] = [checkMembers, checkRanks, checkProfiles, checkErased];

const PEOPLE = 500;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Everything that is counted of a person. */
export function peopleArea(context: AreaContext): Area {
  const { users } = context.deps.collections;
  return {
    name: 'people',
    total: () => users.estimatedDocumentCount(),
    windows: (ids) => (ids ? namedWindows(ids, PEOPLE) : idWindows(users, PEOPLE)),
    look: (window) => lookAtPeople(context, window),
  };
}

async function lookAtPeople({ deps, tally }: AreaContext, window: IdWindow): Promise<Difference[]> {
  const { collections } = deps;
  const today = Math.floor(Date.now() / DAY_MS);
  const users = await collections.users.find({ _id: within(window) }).toArray();
  const totals = await recountPeople(collections, window, firstDayOf('month', today));
  const members = await collections.members.find({ userId: within(window) }).toArray();
  const counted = [...totals].flatMap(([userId, { servers }]) =>
    servers.map(({ serverId }) => `${serverId}/${userId}`),
  );
  const ids = [...new Set([...counted, ...members.map(({ _id }) => _id)])];
  const ranks = await collections.ranks.find({ member: { $in: ids } }).toArray();
  const look: PeopleLook = {
    ...{ deps, window, tally, today, totals },
    users: new Map(users.map((user) => [user._id, user])),
    members: new Map(members.map((row) => [row._id, row])),
    ranks: new Map(ranks.map((line) => [line._id, line])),
  };
  tally('people', users.length);
  const found: Difference[] = [];
  for (const check of CHECKS) found.push(...(await check(look)));
  return found;
}
