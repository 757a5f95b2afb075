import type { Collections } from '../../../../shared/store/collections.js';
import type { ContributionView } from '../../../../shared/store/views.js';
import type { MemberTotals } from '../../views/memberViews.js';
import { within, type IdWindow } from '../idWindow.js';

/** What somebody did everywhere, added up from their part in each thread. */
export interface PersonTotals {
  /** By server, in order of its id. */
  servers: MemberTotals[];
  /** The threads they last wrote in, latest first. */
  recent: string[];
}

const RECENT_THREADS = 10;

interface Person {
  servers: Map<string, MemberTotals>;
  latest: Part[];
}

type Part = Pick<ContributionView, Exclude<keyof ContributionView, '_id' | 'revision'>>;

/** Adds up the contributions of a window's people, apart from how members are counted; days before `since` are left out. */
export async function recountPeople(
  { contributions }: Pick<Collections, 'contributions'>,
  window: IdWindow,
  since: number,
): Promise<Map<string, PersonTotals>> {
  const people = new Map<string, Person>();
  const parts = contributions
    .find({ userId: within(window), messages: { $gt: 0 } })
    .project<Part>({ _id: 0, revision: 0 })
    .batchSize(2_000);
  for await (const part of parts) {
    const person: Person = people.get(part.userId) ?? { servers: new Map(), latest: [] };
    people.set(part.userId, person);
    person.servers.set(part.serverId, added(person.servers.get(part.serverId), part, since));
    person.latest.push({ ...part, days: [] });
    if (person.latest.length >= RECENT_THREADS * 10) person.latest = latestOf(person.latest);
  }
  return new Map(
    [...people].map(([userId, { servers, latest }]) => [
      userId,
      {
        servers: [...servers.values()].sort((left, right) =>
          left.serverId < right.serverId ? -1 : 1,
        ),
        recent: latestOf(latest).map(({ threadId }) => threadId),
      },
    ]),
  );
}

function added(before: MemberTotals | undefined, part: Part, since: number): MemberTotals {
  const { serverId, userId, firstAt, lastAt } = part;
  const days = part.days.filter(({ day }) => day >= since);
  if (!before) {
    const { messages, threads, reactions } = part;
    return { serverId, userId, messages, threads, reactions, firstAt, lastAt, days };
  }
  return {
    ...{ serverId, userId, days: [...before.days, ...days] },
    messages: before.messages + part.messages,
    threads: before.threads + part.threads,
    reactions: before.reactions + part.reactions,
    firstAt: firstAt < before.firstAt ? firstAt : before.firstAt,
    lastAt: lastAt > before.lastAt ? lastAt : before.lastAt,
  };
}

function latestOf(parts: Part[]): Part[] {
  return parts
    .sort(
      (left, right) =>
        right.lastAt.getTime() - left.lastAt.getTime() || (left.threadId < right.threadId ? 1 : -1),
    )
    .slice(0, RECENT_THREADS);
}
