import { BODY_KINDS } from '../../../../shared/store/bodyKinds.js';
import type { IndexerDeps } from '../../deps.js';
import type { Area, AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { erasedTraces } from '../erasedTraces.js';
import { indexedThreads } from '../indexedDocuments.js';
import {
  distinctIdLister,
  idLister,
  idWindows,
  namedWindows,
  type IdWindow,
  type ListIds,
} from '../../records/idWindow.js';
import { toldMessages } from '../../stores/toldMessages.js';
import { checkBodies, checkOrphanViews, checkSimilar } from './checkBodies.js';
import { checkDocuments } from './checkDocuments.js';
import { checkRecords } from './checkRecords.js';
import { checkRows } from './checkRows.js';
import { expectThreads } from './expectThreads.js';
import { verifiedThreads } from './verifiedThread.js';
import { resting, type ThreadCheck, type ThreadLook } from './threadLook.js';
import { threadProblems } from './threadProblems.js';

/** The checks of threads. */
const CHECKS: readonly ThreadCheck[] = [
  checkRecords,
  checkBodies,
  checkRows,
  checkSimilar,
  checkDocuments,
  checkOrphanViews,
];

/** The most threads of one window, and about how many messages they may have together. */
const THREADS = 250;
const MESSAGES = 25_000;

/**
 * Everything that is made from threads. Their records are folded again, and the results are compared with what is
 * stored.
 */
export function threadsArea(context: AreaContext): Area {
  const { deps } = context;
  const fit = (ids: string[]): Promise<number> => fitting(deps, ids);
  return {
    name: 'threads',
    total: () => deps.collections.threads.estimatedDocumentCount(),
    windows: (ids) =>
      ids ? namedWindows(ids, THREADS, fit) : idWindows(sourcesOf(context), THREADS, fit),
    look: (window) => lookAtThreads(context, window),
  };
}

/**
 * Everything that names threads. Much may be left of threads that are not recorded, and a window must not hold too many
 * of these either.
 */
function sourcesOf({ deps, indexes }: AreaContext): ListIds[] {
  const { threads, messages, bodies, threadItems, similar, contributions } = deps.collections;
  return [
    idLister(threads),
    distinctIdLister(messages, 'threadId', 'thread_order'),
    ...BODY_KINDS.thread.map((kind) => idLister(bodies, '_id', `${kind}/`)),
    idLister(threadItems),
    idLister(similar),
    distinctIdLister(contributions, 'threadId', 'threadId'),
    ...indexes.map((index) => indexedThreads(deps.elasticsearch, index)),
  ];
}

/** Resolves with how many of the threads, from the first on, have few enough messages to be looked at together. */
async function fitting({ collections }: IndexerDeps, ids: string[]): Promise<number> {
  const items = await collections.threadItems
    .find({ _id: { $in: ids } }, { projection: { 'facts.messages': 1 } })
    .toArray();
  const messages = new Map(items.map((item) => [item._id, toldMessages(item)]));
  let sum = 0;
  const first = ids.findIndex((id) => (sum += messages.get(id) ?? 0) > MESSAGES);
  return first < 0 ? ids.length : Math.max(1, first);
}

async function lookAtThreads(context: AreaContext, window: IdWindow): Promise<Difference[]> {
  const { deps, tally } = context;
  const records = await verifiedThreads(deps.collections, window);
  const traces = await erasedTraces(deps.collections);
  const problems = threadProblems();
  const threads = await expectThreads(deps, records, traces);
  const look: ThreadLook = { ...context, window, threads, problems, traces };
  tally('threads', resting(look).length);
  for (const { views } of threads.values()) tally('messages', views?.document.messageCount ?? 0);
  const found: Difference[] = [];
  for (const check of CHECKS) found.push(...(await check(look)));
  return [...found, ...problems.differences()];
}
