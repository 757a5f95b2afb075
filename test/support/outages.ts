import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChildren } from '../../services/local/children.js';
import { removeDataDir } from '../../services/local/elasticsearchFolder.js';
import { THREAD_SORTS } from '../../shared/contract/threads.js';
import { createMongo, type Mongo } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { ensureIndexes } from '../../shared/store/indexes.js';
import { ensureSearchIndex } from '../../shared/store/searchIndex.js';
import { aRank, aThreadItem, storeBody } from './apiViews.js';
import { randomOf } from './generateRecords.js';
import { askOnce, startLoad, type Answered, type Load, type Planned } from './openLoop.js';
import { startOwnServers, type OwnServer } from './ownServers.js';
import { PATIENCE_MS, patientElasticsearch } from './patientElasticsearch.js';
import { proxiedServer } from './proxiedServer.js';
import { withDatabase } from './databases.js';

export type StoreName = 'mongodb' | 'elasticsearch' | 'redis';
export type OwnStores = Record<StoreName, OwnServer>;

/** How a store goes away. */
export type Fault = 'frozen' | 'killed';

const COLD_THREADS = 5_000;
const HOT_THREADS = 10;
const SERVER = '900';
const THREAD_TEXT = 'x'.repeat(2_000);

/** An archive whose API can answer every read, on stores that can be taken away. */
export interface OutageArchive {
  stores: OwnStores;
  mongo: Mongo;
  /** The environment for services on it. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts a MongoDB and a Redis among `children`, and stores what the reads of `readMix` ask for. Elasticsearch takes long
 * to start, so it is the one in the environment behind a proxy, or on request a server of its own.
 */
export async function openOutageArchive({
  ownElasticsearch = false,
  children = createChildren(),
} = {}): Promise<OutageArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'forum-archive-outages-'));
  const closing: (() => Promise<unknown>)[] = [() => removeDataDir(folder)];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    const wanted = { mongodb: true, redis: true, elasticsearch: ownElasticsearch };
    const own = await startOwnServers(folder, wanted, children);
    closing.push(() => own.stop());
    let { elasticsearch } = own.servers;
    if (!elasticsearch) {
      const proxied = await proxiedServer(readSettings().ELASTICSEARCH_URL);
      closing.push(() => proxied.close());
      elasticsearch = proxied;
    }
    const stores = { ...own.servers, elasticsearch } as OwnStores;
    const archive = await prepareArchive(stores, ownElasticsearch, closing);
    // The connection to a frozen store cannot be closed.
    closing.push(() => Promise.all(Object.values(stores).map((store) => store.thaw())));
    return { ...archive, stores, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Stores some thousands of small threads, and everything else that is read. What servers of its own hold is removed with
 * their folder.
 */
async function prepareArchive(
  stores: OwnStores,
  ownElasticsearch: boolean,
  closing: (() => Promise<unknown>)[],
): Promise<Pick<OutageArchive, 'mongo' | 'env'>> {
  const MONGODB_URL = withDatabase(stores.mongodb.url, `test_outage_${randomUUID().slice(0, 8)}`);
  const ELASTICSEARCH_URL = stores.elasticsearch.url;
  const mongo = createMongo({ MONGODB_URL }, { timeoutMs: PATIENCE_MS, poolSize: 5 });
  const elasticsearch = patientElasticsearch({ ELASTICSEARCH_URL });
  closing.push(() => mongo.client.close());
  closing.push(() => elasticsearch.close());
  if (!ownElasticsearch) {
    const index = `${mongo.namespace}*`;
    closing.push(() => elasticsearch.indices.delete({ index }).catch(() => undefined));
  }
  await ensureIndexes(mongo.collections);
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  await storeReads(mongo);
  return {
    mongo,
    env: {
      MONGODB_URL,
      ELASTICSEARCH_URL,
      REDIS_URL: stores.redis.url,
      PORT: '0',
      HOST: '127.0.0.1',
      RATE_LIMIT_DISABLED: 'true',
    },
  };
}

async function storeReads({ collections }: Mongo): Promise<void> {
  await storeBody(collections, 'thread/0', { text: THREAD_TEXT });
  const { _id: _unused, ...body } = (await collections.bodies.findOne({ _id: 'thread/0' }))!;
  await collections.bodies.insertMany(
    Array.from({ length: HOT_THREADS + COLD_THREADS }, (_, n) => ({
      _id: `thread/${n + 1}`,
      ...body,
    })),
  );
  for (const kind of ['server', 'stats', 'channels', 'tags']) {
    await storeBody(collections, `${kind}/${SERVER}`, { name: 'A server' });
  }
  await storeBody(collections, 'user/1', { id: '1' });
  await collections.threadItems.insertMany(
    Array.from({ length: 300 }, (_, n) =>
      aThreadItem({ threadId: String(n + 1), serverId: SERVER }),
    ),
  );
  await collections.ranks.insertMany(
    Array.from({ length: 100 }, (_, n) => aRank(SERVER, String(n + 1), 1_000 - n)),
  );
}

/** The kinds of reads in `readMix`. */
export const READ_KINDS = [
  'hot thread',
  'cold thread',
  'list',
  'stats',
  'search',
  'suggest',
  'user',
  'leaderboard',
  'conditional',
] as const;

/** Reads of every kind, in the proportions of real readers, and in an order that is always the same. */
export function readMix(): () => Planned {
  const random = randomOf(7);
  let cold = 0;
  const hot = () => `/api/threads/${random.below(HOT_THREADS) + 1}`;
  const list = () => `/api/threads?sort=${random.pick(THREAD_SORTS)}&limit=${random.below(60) + 1}`;
  const kinds: [string, number, () => Omit<Planned, 'kind'>][] = [
    ['hot thread', 30, () => ({ path: hot() })],
    [
      'cold thread',
      22,
      () => ({ path: `/api/threads/${HOT_THREADS + 1 + (cold++ % COLD_THREADS)}` }),
    ],
    ['list', 14, () => ({ path: list() })],
    ['stats', 8, () => ({ path: `/api/servers/${SERVER}/stats` })],
    ['search', 10, () => ({ path: `/api/search?q=${random.pick(WORDS)}+${random.pick(WORDS)}` })],
    ['suggest', 4, () => ({ path: `/api/suggest?q=${random.pick(WORDS)}` })],
    ['user', 4, () => ({ path: '/users/1' })],
    ['leaderboard', 4, () => ({ path: `/leaderboard/${SERVER}?limit=${random.below(90) + 1}` })],
    ['conditional', 4, () => ({ path: hot(), headers: { 'If-None-Match': '*' } })],
  ];
  const drawn = kinds.flatMap((kind) => Array.from({ length: kind[1] }, () => kind));
  return () => {
    const [kind, , plan] = drawn[random.below(drawn.length)]!;
    return { kind, ...plan() };
  };
}

const WORDS = ['anchor', 'boat', 'cargo', 'deck', 'engine', 'fleet', 'gale', 'harbour'] as const;

/** Whether a read was answered as usual, or refused as while a store is away. There must be no other answer. */
export function isGoodOrRefused(answer: Answered): boolean {
  return isGood(answer) || isRefused(answer);
}

function isGood({ kind, status }: Answered): boolean {
  return status === (kind === 'conditional' ? 304 : 200);
}

function isRefused({ status, headers }: Answered): boolean {
  return status === 503 && /^\d+$/.test(headers['retry-after'] ?? '');
}

/** Whether an answer is as documented while a store is away, or while none is. */
export function isDocumented(answer: Answered, away: StoreName | null): boolean {
  const { kind, headers } = answer;
  if (kind === 'search' || kind === 'suggest') {
    const isKept = isGood(answer) && headers['x-cache'] === 'HIT';
    return away === 'elasticsearch' ? isRefused(answer) || isKept : isGood(answer);
  }
  const isCached = kind === 'hot thread' || kind === 'conditional';
  if (away === 'mongodb' && !isCached) return isGoodOrRefused(answer);
  if (kind !== 'stats') return isGood(answer);
  const isBypassed = headers['x-cache'] === 'BYPASS';
  return isGood(answer) && isBypassed === (away === 'redis');
}

/** What readers saw of an outage. Times are in milliseconds. */
export interface Outage {
  store: StoreName;
  fault: Fault;
  /** Answers to all requests that were sent during the outage or the recovery. */
  answers: Answered[];
  /** Answers to those of them that were sent while the service knew of the outage. */
  known: Answered[];
  /** Answers of GET /readyz during the outage. */
  readiness: Answered[];
  /** The time from the store's return to the last unusual answer. */
  recoveryMs: number;
}

/** After so long (ms), the service knows that a store is away. */
const KNOWN_AFTER_MS = 2_300;
/** When answers are as usual for so long (ms), the service has recovered. */
const STEADY_MS = 400;
const LONGEST_RECOVERY_MS = 20_000;

/**
 * Takes a store away under load for a while, and brings it back. Then waits until readers notice nothing of it any
 * more.
 */
export async function runOutage(
  { url, load, stores }: { url: string; load: Load; stores: OwnStores },
  { store, fault, ms }: { store: StoreName; fault: Fault; ms: number },
): Promise<Outage> {
  const began = performance.now();
  await (fault === 'frozen' ? stores[store].freeze() : stores[store].kill());
  const readiness: Answered[] = [];
  const ask = async () => readiness.push(await askOnce(url, { kind: 'readyz', path: '/readyz' }));
  await ask();
  await pause(began + ms - performance.now());
  await ask();
  await (fault === 'frozen' ? stores[store].thaw() : stores[store].restart());
  const returned = performance.now();
  const recovered = await waitForRecovery(url, load, returned);
  const answers = load.answers.filter(({ sentAt }) => sentAt >= began);
  const isKnown = ({ sentAt }: Answered) =>
    sentAt >= began + KNOWN_AFTER_MS && sentAt < began + ms - 50;
  const known = answers.filter(isKnown);
  return { store, fault, answers, known, readiness, recoveryMs: recovered - returned };
}

async function waitForRecovery(url: string, load: Load, returned: number): Promise<number> {
  for (;;) {
    const recent = load.answers.filter(({ sentAt, ms }) => sentAt + ms > returned);
    const unusual = recent.filter((answer) => !isDocumented(answer, null));
    const last = Math.max(returned, ...unusual.map(({ sentAt, ms }) => sentAt + ms));
    const now = performance.now();
    const isLate = now - returned > LONGEST_RECOVERY_MS;
    if (isLate) return now;
    if (now - last > STEADY_MS) {
      const { status } = await askOnce(url, { kind: 'readyz', path: '/readyz' });
      if (status === 200) return last;
    }
    await pause(50);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

/** Loads the API at the wanted rate, or as fast as a busy machine can. */
export async function startSteadyLoad(url: string, wanted: number): Promise<Load> {
  // A process that has just started is slower than later.
  const first = startLoad(url, LEAST_PER_SECOND, readMix());
  await pause(2_000);
  await first.stop();
  for (let perSecond = wanted; ; perSecond = Math.ceil(perSecond / 2)) {
    const load = startLoad(url, perSecond, readMix());
    await pause(1_000);
    const began = performance.now();
    await pause(1_000);
    const times = load.answers.filter(({ sentAt }) => sentAt >= began).map(({ ms }) => ms);
    const slow = times.filter((ms) => ms > 200).length;
    const isSteady = times.length > perSecond * 0.8 && slow < times.length * 0.05;
    if (isSteady || perSecond < LEAST_PER_SECOND) return load;
    await load.stop();
  }
}

const LEAST_PER_SECOND = 50;
