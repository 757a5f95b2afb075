import type { Filter } from 'mongodb';
import { dayOf } from '../../views/tallyPeople.js';
import { countMembers, type CountedMembers } from '../../build/countMembers.js';
import { countProfiles } from '../../build/countProfiles.js';
import { addUpPeople, type Appearance } from '../../build/addUpPeople.js';
import { peopleWindows, peopleWithin } from '../../build/people.js';
import type { Collections } from '../../../../shared/store/collections.js';
import { memberId, userOfMember } from '../../../../shared/store/optOuts.js';
import type { ContributionView, MemberView } from '../../../../shared/store/views.js';
import type { Area, AreaContext } from '../area.js';
import { compareTexts } from '../compareBodies.js';
import type { Difference } from '../difference.js';
import { differingRows } from '../differingRows.js';
import { erasedTraces } from '../erasedTraces.js';
import { namedWindows, within, type IdWindow } from '../../records/idWindow.js';

/** The most people that are looked at again together. */
const PEOPLE = 500;

/**
 * Matches contributions from which a person can be counted. The others are damaged. They are reported with their
 * threads.
 */
const WHOLE: Filter<ContributionView> = {
  author: { $type: 'object' },
  firstAt: { $type: 'date' },
  lastAt: { $type: 'date' },
};

/** How the people of a window are shown, by their ids. */
type Appearances = ReadonlyMap<string, Appearance>;

/** Everything that is counted of people. It is counted again from their contributions, and compared. */
export function peopleArea(context: AreaContext): Area {
  const { collections } = context.deps;
  return {
    name: 'people',
    total: () => collections.members.estimatedDocumentCount(),
    windows: (ids) => (ids ? namedWindows(ids, PEOPLE) : peopleWindows(collections)),
    look: async (window) => {
      const today = dayOf(new Date());
      const sums = await addUpPeople(collections, { userId: within(window), ...WHOLE }, today);
      const counted = countMembers(context.deps, sums, { version: 0, today });
      return [
        ...(await compareMembers(context, window, counted)),
        ...(await compareProfiles(context, window, counted.members, sums.appearances)),
        ...(await erasedPeopleKept(context, window)),
      ];
    },
  };
}

/** Compares the rows of people on servers, and their lines of the leaderboards. */
async function compareMembers(
  { deps, tally }: AreaContext,
  window: IdWindow,
  counted: CountedMembers,
): Promise<Difference[]> {
  const { collections } = deps;
  const members = await collections.members.find({ userId: within(window) }).toArray();
  const ids = new Set([...counted.members, ...members].map(({ _id }) => _id));
  const ranks = await collections.ranks.find({ member: { $in: [...ids] } }).toArray();
  tally('members', members.length);
  tally('ranks', ranks.length);
  const memberOf = ({ serverId, userId }: MemberView): string => memberId(serverId, userId);
  return [
    ...compareRows(members, counted.members, memberOf, 'member'),
    ...compareRows(ranks, counted.ranks, ({ member }) => member, 'line'),
  ];
}

/** What the two sorts of rows are called in details. */
const NAMES = { member: 'Totals', line: 'Line' } as const;

/**
 * Compares the stored rows of people with the counted ones. Some rows belong to nobody, and some are stored as those of
 * another person. The `clue` of a difference names such a row, and the repair removes it before it counts anybody. A
 * count stores the rows of one person, and removes the others that are stored as theirs. If the row stayed, its owner
 * could be counted first. Then the count of the other person would remove what the owner's count has stored.
 */
function compareRows<T extends { _id: string }>(
  stored: readonly T[],
  counted: readonly T[],
  memberOf: (row: T) => string,
  sort: keyof typeof NAMES,
): Difference[] {
  return differingRows(stored, counted, ['version']).map((row) => {
    const one = (row.expected ?? row.stored)!;
    const detail = `${NAMES[sort]} ${one._id} ${row.problem}`;
    const isStray = row.stored && (!row.expected || memberOf(row.stored) !== memberOf(one));
    return {
      ...personDifference(userOfMember(memberOf(one)), detail),
      basis: row.stored && row.expected ? JSON.stringify([row.stored, row.expected]) : '',
      ...(isStray && { clue: { [sort]: one._id } }),
    };
  });
}

/** Returns a difference of a person. */
export function personDifference(id: string, detail: string): Difference {
  return { kind: 'person.wrong', id, detail, basis: '' };
}

/** Compares the profiles of all people who wrote something or have a profile, byte for byte. */
async function compareProfiles(
  { deps, tally }: AreaContext,
  window: IdWindow,
  members: readonly MemberView[],
  appearances: Appearances,
): Promise<Difference[]> {
  const { collections } = deps;
  const ids = new Set(await peopleWithin(collections, window));
  tally('people', ids.size);
  tally('bodies', ids.size);
  for (const id of await peopleOfUnrecordedServers(collections, window)) ids.delete(id);
  const texts = await countProfiles(deps, [...ids], members, appearances);
  const found = await compareTexts(collections, texts);
  return found.map(({ name, detail, basis }) => {
    const id = name.slice('user/'.length);
    return { kind: 'person.wrong', id, detail: `${name} ${detail}`, basis };
  });
}

/**
 * Resolves with the people on servers whose record is missing. Their profiles still show the name of the server, which
 * cannot be compared.
 */
async function peopleOfUnrecordedServers(
  { members, servers }: Collections,
  window: IdWindow,
): Promise<string[]> {
  const used: string[] = await members.distinct('serverId', { userId: within(window) });
  const known: string[] = await servers.distinct('_id', { _id: { $in: used } });
  const unknown = used.filter((serverId) => !known.includes(serverId));
  if (unknown.length === 0) return [];
  return members.distinct('userId', { userId: within(window), serverId: { $in: unknown } });
}

/** Looks for rows that are still kept by the id of an erased person. */
async function erasedPeopleKept(
  { deps: { collections } }: AreaContext,
  window: IdWindow,
): Promise<Difference[]> {
  const { isErased } = await erasedTraces(collections);
  const byUser = { userId: within(window) };
  const kept: string[][] = await Promise.all([
    collections.members.distinct('userId', byUser),
    collections.contributions.distinct('userId', byUser),
  ]);
  return [...new Set(kept.flat())].filter(isErased).map((id) => ({
    kind: 'erased.kept',
    id,
    detail: 'Among those who are counted',
    basis: '',
    clue: { userId: id },
  }));
}
