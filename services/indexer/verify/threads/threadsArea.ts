import type { IndexerDeps } from '../../deps.js';
import type { Area, AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { idWindows, namedWindows, within, type IdWindow } from '../idWindow.js';
import { checkThreadBodies, checkParticipants } from './checkBodies.js';
import { checkContributions } from './checkContributions.js';
import { checkItems } from './checkItems.js';
import { checkMarks } from './checkMarks.js';
import { checkRemovals } from './checkRemovals.js';
import { checkSample } from './checkSample.js';
import { checkSearch } from './checkSearch.js';
import { checkSimilar } from './checkSimilar.js';
import { expectThreads } from './expectThreads.js';
import type { ThreadCheck, ThreadLook } from './threadLook.js';

/** The index of what is compared of each thread: one line a check. */
const CHECKS: readonly ThreadCheck[] = [
  checkMarks,
  checkThreadBodies,
  checkParticipants,
  checkItems,
  checkContributions,
  checkSearch,
  checkSimilar,
  checkRemovals,
  checkSample,
];

/** Threads compared at once, and about how many messages they may have together. */
const THREADS = 500;
const MESSAGES = 50_000;

/** Everything that is made of a thread. */
export function threadsArea(context: AreaContext): Area {
  const { deps } = context;
  const fit = (ids: string[]): Promise<number> => fitting(deps, ids);
  return {
    name: 'threads',
    total: () => deps.collections.threads.estimatedDocumentCount(),
    windows: (ids) =>
      ids ? namedWindows(ids, THREADS, fit) : idWindows(deps.collections.threads, THREADS, fit),
    look: (window) => lookAtThreads(context, window),
  };
}

/** How many of some threads, in order, may be looked at together for their messages. */
async function fitting({ collections }: IndexerDeps, ids: string[]): Promise<number> {
  const items = await collections.threadItems
    .find({ _id: { $in: ids } }, { projection: { 'facts.messages': 1 } })
    .toArray();
  const messages = new Map(items.map(({ _id, facts }) => [_id, facts.messages]));
  let sum = 0;
  const first = ids.findIndex((id) => (sum += messages.get(id) ?? 0) > MESSAGES);
  return first < 0 ? ids.length : Math.max(1, first);
}

async function lookAtThreads(context: AreaContext, window: IdWindow): Promise<Difference[]> {
  const { deps, indexes, tally, isSampled } = context;
  const expected = await expectThreads(deps, window);
  const items = await deps.collections.threadItems.find({ _id: within(window) }).toArray();
  const look: ThreadLook = {
    ...expected,
    ...{ deps, window, indexes, tally, isSampled },
    items: new Map(items.map((item) => [item._id, item])),
  };
  tally('threads', expected.threads.size);
  for (const { count } of expected.threads.values()) tally('messages', count.ids.length);
  const found: Difference[] = [];
  for (const check of CHECKS) found.push(...(await check(look)));
  return found;
}
