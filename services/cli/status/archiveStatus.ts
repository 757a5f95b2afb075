import { refusalOf } from '../../../shared/jobs/redisRefusal.js';
import { pingMongo } from '../../../shared/platform/clients.js';
import type { MirrorStats, SyncStats } from '../../../shared/contract/admin.js';
import { mirrorStats } from '../../../shared/store/mirrorStats.js';
import { FAILED } from '../../../shared/store/quarantine.js';
import { NEVER } from '../../../shared/store/work.js';
import { describeViews } from '../../../shared/store/describeViews.js';
import { rebuildProgress } from '../../../shared/store/searchGenerations.js';
import { describeRestore, readRestore } from '../../../shared/store/restore.js';
import {
  stateOf,
  type SearchGenerations,
  type SearchRebuild,
} from '../../../shared/store/state.js';
import { syncState } from '../../../shared/store/syncState.js';
import { syncRows } from './syncRows.js';
import { problemOf, readSearchFacts } from '../../../shared/store/searchFacts.js';
import { heldCollection } from '../heldCollection.js';
import { formatCount } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { messageOf } from '../reachable.js';

/** How long MongoDB may take to answer (ms). */
const ANSWER_MS = 10_000;

/** A store's state: `ok`, or why it cannot be used. */
export type StoreState = string;

type SearchRebuildStatus = Pick<SearchRebuild, 'state' | 'error' | 'beatAt'> & { progress: number };

/** What the archive holds. The numbers of a store that cannot be reached are null. */
export interface ArchiveStatus {
  /** Whether it holds nothing, not even the remains of deletions. */
  empty: boolean | null;
  /** How far a restore is, and what to do where it was cut off; null where there is none. */
  restoreProblem: string | null;
  /** How many servers and channels are shown: neither deleted nor withheld. */
  servers: number | null;
  channels: number | null;
  /** How many threads are listed, and how many messages they have. */
  threads: number | null;
  messages: number | null;
  /** How many files were taken for import, and are not imported yet. Some of them may have no job. */
  waitingFiles: number | null;
  /** How many threads have records that their views or search documents do not show yet. */
  pendingThreads: number | null;
  /** Which other settings some views may have been made with, and what to do; null where there are no such views. */
  viewsProblem: string | null;
  /** How many things are quarantined, because they cannot be stored or built. */
  quarantined: number | null;
  searchDocuments: number | null;
  /** What is wrong with the search index, such as that it is lost or made for another version, and what to do. */
  searchProblem: string | null;
  /** The last rebuild of the search index, unless it is done. `progress` is from 0 to 1. */
  searchRebuild: SearchRebuildStatus | null;
  queue: { waiting: number; active: number; delayed: number; failed: number } | null;
  /** How many indexers are connected to the queue. */
  indexers: number | null;
  /** The live sync; null where no indexer has a bot token, or where it cannot be read. */
  sync: SyncStats | null;
  /** The mirror; null where there is none, or where it cannot be read. */
  mirror: MirrorStats | null;
  stores: { mongodb: StoreState; elasticsearch: StoreState; redis: StoreState };
}

/** Asks each store for its part. The numbers of a store that cannot be reached are null. */
export async function archiveStatus(archive: Archive): Promise<ArchiveStatus> {
  const { mongo, elasticsearch } = archive;
  // MongoDB is pinged first. Of several calls at once, only the first would say why it is away.
  const answers = pingMongo(mongo, ANSWER_MS);
  const [records, search, queue, sync, mirror] = await Promise.all([
    orReason(answers.then(() => countRecords(archive))),
    // The ping comes first, because another kind of server may answer any request with a page of its own.
    orReason(elasticsearch.ping().then(() => readSearchFacts(elasticsearch, mongo.namespace))),
    orReason(countQueue(archive)),
    orReason(answers.then(() => syncState(mongo.collections))),
    orReason(answers.then(() => mirrorStats(mongo.collections))),
  ]);
  return {
    ...(records.value ?? NO_RECORDS),
    searchDocuments: search.value?.documents ?? null,
    searchProblem: search.value && problemOf(search.value, buildsOf(records.value ?? NO_RECORDS)),
    queue: queue.value?.counts ?? null,
    indexers: queue.value?.workers ?? null,
    sync: sync.value,
    mirror: mirror.value,
    stores: {
      mongodb: records.state,
      elasticsearch: search.state,
      redis: queue.value?.state ?? queue.state,
    },
  };
}

/** Whether every store answered. */
export function isHealthy({ stores }: ArchiveStatus): boolean {
  return Object.values(stores).every((state) => state === 'ok');
}

/** The status in lines for people. */
export function statusLines(status: ArchiveStatus): string[] {
  const { queue, stores } = status;
  const jobs = queue
    ? `${queue.active} active, ${queue.waiting} waiting, ${queue.delayed} delayed, ${queue.failed} failed${queue.failed > 0 ? reasonAt('/admin/jobs?state=failed') : ''}`
    : 'unknown';
  const rows: [string, string][] = [
    ...problemRow('Restore', status.restoreProblem),
    ['Servers', shown(status.servers)],
    ['Channels', shown(status.channels)],
    ['Threads', shown(status.threads)],
    ['Messages', shown(status.messages)],
    ['Waiting files', shown(status.waitingFiles)],
    ['Pending threads', shown(status.pendingThreads)],
    ...problemRow('Views', status.viewsProblem),
    [
      'Quarantined',
      `${shown(status.quarantined)}${status.quarantined ? reasonAt('/admin/quarantine') : ''}`,
    ],
    ['Search documents', shown(status.searchDocuments)],
    ...problemRow('Search index', status.searchProblem),
    ...problemRow('Search rebuild', status.searchRebuild && rebuildLine(status.searchRebuild)),
    ['Jobs', jobs],
    [
      'Indexers',
      status.indexers === 0 ? '0: work waits until one is started' : shown(status.indexers),
    ],
    ...(status.sync ? syncRows(status.sync) : []),
    ...(status.mirror ? mirrorRows(status.mirror) : []),
    ['MongoDB', stores.mongodb],
    ['Elasticsearch', stores.elasticsearch],
    ['Redis', stores.redis],
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(18)}${value}`);
}

/** The end of a count of failures: where an administrator reads why. */
function reasonAt(path: string): string {
  return ` (GET ${path} tells why)`;
}

function rebuildLine({ state, progress, beatAt, error }: SearchRebuildStatus): string {
  if (state === 'failed') return `failed: ${error}`;
  if (state === 'queued') return `queued since ${beatAt.toISOString()}`;
  return `${Math.floor(progress * 100)}%, last alive at ${beatAt.toISOString()}`;
}

function problemRow(name: string, problem: string | null): [string, string][] {
  return problem === null ? [] : [[name, problem]];
}

/** The rows of a status about the mirror, as name and value. */
function mirrorRows({ files, bytes, failed, waiting, problem }: MirrorStats): [string, string][] {
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  const rest = `${formatCount(failed)} failed, ${formatCount(waiting)} waiting`;
  const rows: [string, string][] = [['Mirrored files', `${formatCount(files)} (${size}), ${rest}`]];
  return problem === null ? rows : [...rows, ['Mirror', problem]];
}

function shown(count: number | null): string {
  return count === null ? 'unknown' : formatCount(count);
}

type Records = Pick<
  ArchiveStatus,
  | 'empty'
  | 'restoreProblem'
  | 'servers'
  | 'channels'
  | 'threads'
  | 'messages'
  | 'waitingFiles'
  | 'pendingThreads'
  | 'viewsProblem'
  | 'searchRebuild'
  | 'quarantined'
>;

const NO_RECORDS: Records = {
  empty: null,
  restoreProblem: null,
  servers: null,
  channels: null,
  threads: null,
  messages: null,
  waitingFiles: null,
  pendingThreads: null,
  viewsProblem: null,
  searchRebuild: null,
  quarantined: null,
};

/** The value of a promise, or why it was rejected. */
async function orReason<T>(asking: Promise<T>): Promise<{ value: T | null; state: StoreState }> {
  try {
    return { value: await asking, state: 'ok' };
  } catch (error) {
    return { value: null, state: `cannot be reached: ${messageOf(error)}` };
  }
}

async function countRecords({ mongo }: Archive): Promise<Records> {
  const { servers, channels, importFiles, work, threadItems, state } = mongo.collections;
  const alive = { deleted: { $ne: true } };
  const [
    held,
    restore,
    serverCount,
    channelCount,
    waitingFiles,
    pendingThreads,
    views,
    search,
    quarantined,
    listed,
  ] = await Promise.all([
    heldCollection(mongo),
    readRestore(mongo.collections),
    servers.countDocuments(alive),
    channels.countDocuments({ ...alive, withheldAt: { $exists: false } }),
    importFiles.countDocuments({ state: 'queued' }),
    work.countDocuments({ kind: 'thread', due: { $ne: NEVER } }),
    stateOf(state, 'views').findOne({ _id: 'views' }),
    stateOf(state, 'search').findOne({ _id: 'search' }),
    work.countDocuments(FAILED),
    threadItems
      .aggregate<{ threads: number; messages: number }>([
        // This condition is met by every thread. With it, MongoDB reads an index alone.
        { $match: { serverId: { $gte: '' } } },
        { $group: { _id: null, threads: { $sum: 1 }, messages: { $sum: '$facts.messages' } } },
      ])
      .next(),
  ]);
  return {
    empty: held === undefined,
    restoreProblem: restore && describeRestore(restore),
    servers: serverCount,
    channels: channelCount,
    threads: listed?.threads ?? 0,
    messages: listed?.messages ?? 0,
    waitingFiles,
    pendingThreads,
    viewsProblem: views && describeViews(views),
    searchRebuild: rebuildOf(search),
    quarantined,
  };
}

function rebuildOf(search: SearchGenerations | null): SearchRebuildStatus | null {
  if (!search?.rebuild || search.rebuild.state === 'done') return null;
  const { state, error, beatAt } = search.rebuild;
  return { state, progress: rebuildProgress(search.rebuild), beatAt, ...(error && { error }) };
}

/** The counts that tell whether an empty search index has lost something. */
function buildsOf({ threads, pendingThreads }: Records) {
  return { threads, pending: pendingThreads };
}

async function countQueue({ producer }: Archive): Promise<{
  counts: NonNullable<ArchiveStatus['queue']>;
  workers: number;
  state: StoreState;
}> {
  const [counts, workers, state] = await Promise.all([
    producer.counts(),
    producer.workers(),
    producer.tryStoring().then(() => 'ok', whyNothingIsStored),
  ]);
  return { counts, workers, state };
}

function whyNothingIsStored(error: Error): StoreState {
  return refusalOf(error.message) ?? `it stores nothing: ${messageOf(error)}`;
}
