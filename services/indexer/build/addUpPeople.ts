import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ContributionView, ShownPerson } from '../../../shared/store/views.js';
import { firstDayOf, type MemberTotals } from '../views/memberViews.js';

const RECENT_THREADS = 10;
/** How many contributions one call reads. Somebody may have millions of them, and each call must end in time. */
const READ_AT_ONCE = 1_000;

/** How somebody is shown, and the ids of the threads that they last wrote in, newest first. */
export interface Appearance {
  person: ShownPerson;
  recentThreads: string[];
}

/** What people did: how each of them is shown, by their ids, and the totals of each on each server. */
export interface PeopleSums {
  appearances: Map<string, Appearance>;
  totals: MemberTotals[];
}

/** What somebody did in one thread. Of the days on which they wrote, it has those that a rolling period may cover. */
type Part = Omit<ContributionView, 'revision'>;

/** What the parts that were read so far tell of how somebody is shown. */
interface Seen {
  /** The last ones, newest first. There is always one. */
  recent: Part[];
  /** The one whose display name was told last. */
  named: Part;
}

/** Reads the contributions that match, each once, and adds up what their people did. */
export async function addUpPeople(
  { contributions }: Pick<Collections, 'contributions'>,
  which: Filter<ContributionView>,
  today: number,
): Promise<PeopleSums> {
  const first = firstDayOf('month', today);
  // A damaged part may hold something else there. It is replaced when its thread is built.
  const days = { $cond: [{ $isArray: '$days' }, '$days', []] };
  const recentDays = { $filter: { input: days, cond: { $gte: ['$$this.day', first] } } };
  const parts = contributions
    .find(which, { batchSize: READ_AT_ONCE })
    .project<Part>({ ...FIELDS, days: recentDays });
  const seen = new Map<string, Seen>();
  const sums = new Map<string, { total: MemberTotals; byDay: ByDay }>();
  for await (const part of parts) {
    const { serverId, userId } = part;
    const one = seen.get(userId);
    if (one) look(one, part);
    else seen.set(userId, { recent: [part], named: part });
    const member = `${serverId}/${userId}`;
    const sum = sums.get(member) ?? { total: emptyTotal(part), byDay: new Map() };
    sums.set(member, sum);
    addTo(sum, part);
  }
  return {
    appearances: new Map([...seen].map(([id, one]) => [id, appearanceOf(id, one)])),
    totals: [...sums.values()].map(({ total, byDay }) => ({ ...total, days: [...byDay.values()] })),
  };
}

const FIELDS = {
  _id: 0,
  threadId: 1,
  userId: 1,
  serverId: 1,
  messages: 1,
  threads: 1,
  reactions: 1,
  firstAt: 1,
  lastAt: 1,
  author: 1,
  namedAt: 1,
} as const;

/**
 * Name and picture come from the last of somebody's messages that may be read. The display name is the last one that a
 * source told with such a message. So a name disappears with the messages that were written under it.
 */
function appearanceOf(id: string, { recent, named }: Seen): Appearance {
  const { username, avatar, isBot } = recent[0]!.author;
  const person = { id, username, displayName: named.author.displayName, avatar, isBot };
  return { person, recentThreads: recent.map(({ threadId }) => threadId) };
}

function look(seen: Seen, part: Part): void {
  const { recent, named } = seen;
  const toldLater = timeOf(part.namedAt) - timeOf(named.namedAt);
  if (toldLater > 0 || (toldLater === 0 && isNewer(part, named))) seen.named = part;
  if (recent.length === RECENT_THREADS && !isNewer(part, recent.at(-1)!)) return;
  const place = recent.findIndex((other) => isNewer(part, other));
  recent.splice(place < 0 ? recent.length : place, 0, part);
  recent.length = Math.min(recent.length, RECENT_THREADS);
}

function isNewer(part: Part, other: Part): boolean {
  const later = timeOf(part.lastAt) - timeOf(other.lastAt);
  return later > 0 || (later === 0 && part.threadId > other.threadId);
}

/** The time (ms). It comes before all others where a source told none. */
function timeOf(time: Date | undefined): number {
  return time?.getTime() ?? -Number.MAX_VALUE;
}

/** What somebody did on a server by days. */
type ByDay = Map<number, MemberTotals['days'][number]>;

function emptyTotal({ serverId, userId, firstAt, lastAt }: Part): MemberTotals {
  return { serverId, userId, messages: 0, threads: 0, reactions: 0, firstAt, lastAt, days: [] };
}

function addTo({ total, byDay }: { total: MemberTotals; byDay: ByDay }, part: Part): void {
  add(total, part);
  if (part.firstAt < total.firstAt) total.firstAt = part.firstAt;
  if (part.lastAt > total.lastAt) total.lastAt = part.lastAt;
  for (const { day, ...counts } of part.days) {
    const sum = byDay.get(day) ?? { day, messages: 0, threads: 0, reactions: 0 };
    byDay.set(day, sum);
    add(sum, counts);
  }
}

type Counts = Pick<MemberTotals, 'messages' | 'threads' | 'reactions'>;

function add(sum: Counts, { messages, threads, reactions }: Counts): void {
  // A damaged part may lack its numbers. It is replaced when its thread is built.
  sum.messages += messages || 0;
  sum.threads += threads || 0;
  sum.reactions += reactions || 0;
}
