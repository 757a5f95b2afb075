import { setTimeout as pause } from 'node:timers/promises';
import type { MongoServerError } from 'mongodb';
import { FAULT_POINTS } from '../../shared/platform/faultPoint.js';
import { searchAlias } from '../../shared/store/searchIndex.js';
import { until } from '../support/apiServer.js';
import type { Random } from './random.js';
import type { Rig } from './rig.js';
import type { Proxy, Toxic } from './toxiproxy.js';

/** What a fault gets to work with. */
export interface FaultContext<R = Rig> {
  rig: R;
  random: Random;
  /** How long the fault lasts (ms), if it lasts. */
  ms: number;
  /** Is called when a store may have lost writes that were not yet acknowledged. */
  onLoss: () => void;
}

/**
 * Causes a fault, and heals it again. Throws where something that must happen does not. Where chance decides what
 * happens, it resolves with what did.
 */
export type Fault<R = Rig> = (context: FaultContext<R>) => Promise<unknown>;

const CLOCK = new URL('./shiftClock.js', import.meta.url).href;
const HOUR_MS = 3_600_000;
/** A service that ends when it is asked to ends within this time, even on a busy machine (ms). */
const STOP_WITHIN_MS = 60_000;
/** How many times in a row a process may be held up for longer than the time in which it has to end. */
const LATE_ENDS = 3;
const ANSWER_WITHIN_MS = 60_000;

/** The kinds of faults by name. docs/reliability.md lists them. */
export const FAULTS = {
  'indexer killed': ({ rig }) => killed(rig, {}),
  'indexer killed at a step': killedAtStep,
  'indexer paused': ({ rig, ms }) => paused(rig, 'indexer', ms),
  'indexer stopped': ({ rig }) => stopped(rig, 'indexer'),
  'indexer with its clock an hour back': (context) => clockBack(context),
  'API killed': async ({ rig }) => {
    await rig.api.restart('SIGKILL');
  },
  'API stopped': ({ rig }) => stopped(rig, 'api'),
  'Redis emptied': ({ rig }) => onceItAnswers(() => rig.direct.redis.flushall()),
  'Redis killed': ({ rig, ms }) => restarted(rig, 'redis', ms),
  'Redis full': redisFull,
  'Redis frozen': ({ rig, ms }) => frozen(rig, 'redis', ms),
  'Redis away': ({ rig, ms }) => away(rig.proxies.redis, ms),
  'Redis away for 30 s': ({ rig }) => away(rig.proxies.redis, 30_000),
  'Redis cut off in the middle': ({ rig, ms }) => poisoned(rig.proxies.redis, CUT, ms),
  'MongoDB killed': async ({ rig, ms, onLoss }) => {
    await restarted(rig, 'mongodb', ms);
    onLoss();
  },
  'MongoDB frozen': ({ rig, ms }) => frozen(rig, 'mongodb', ms),
  'MongoDB frozen for 10 s': ({ rig }) => frozen(rig, 'mongodb', 10_000),
  'MongoDB stepping down': mongodbStepsDown,
  'MongoDB away': ({ rig, ms }) => away(rig.proxies.mongodb, ms),
  'MongoDB cut off in the middle': ({ rig, ms }) => poisoned(rig.proxies.mongodb, CUT, ms),
  'MongoDB slow': ({ rig, ms }) => poisoned(rig.proxies.mongodb, latency(500), ms),
  'Elasticsearch killed': searchKilled,
  'Elasticsearch away': ({ rig, ms }) => away(rig.proxies.elasticsearch, ms),
  'Elasticsearch rejecting': searchRejects,
  'Elasticsearch read-only': ({ rig, ms }) => searchBlocked(rig, 'write', ms),
  'Elasticsearch with a full disk': ({ rig, ms }) =>
    searchBlocked(rig, 'read_only_allow_delete', ms),
  'Elasticsearch answers cut': ({ rig, ms }) => poisoned(rig.proxies.elasticsearch, CUT, ms),
  'Elasticsearch 5 s late': ({ rig, ms }) =>
    poisoned(rig.proxies.elasticsearch, latency(5_000), ms),
  'Elasticsearch silent': ({ rig, ms }) => poisoned(rig.proxies.elasticsearch, SILENT, ms),
  'Elasticsearch on a narrow line': ({ rig, ms }) =>
    poisoned(rig.proxies.elasticsearch, NARROW, ms),
  'search index lost': ({ rig }) => onceItAnswers(() => searchLost(rig)),
  'two rebuilds at once': twoRebuilds,
  'a rebuild killed': rebuildKilled,
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** Faults that may overlap: those of Redis and MongoDB, and all others. */
export const STORE_FAULTS = namesOf((name) => /^(?:Redis|MongoDB)/.test(name));
export const OTHER_FAULTS = namesOf((name) => !/^(?:Redis|MongoDB)/.test(name));

function namesOf(wanted: (name: string) => boolean): FaultName[] {
  return Object.keys(FAULTS).filter(wanted) as FaultName[];
}

/** The request arrives, but its answer is cut off on the way back. */
const CUT: Toxic = {
  type: 'limit_data',
  stream: 'downstream',
  attributes: { bytes: 100 },
  toxicity: 0.5,
};
const SILENT: Toxic = { type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } };
/** `rate` is in kilobytes a second. */
const NARROW: Toxic = { type: 'bandwidth', stream: 'downstream', attributes: { rate: 20 } };

function latency(ms: number): Toxic {
  return { type: 'latency', stream: 'downstream', attributes: { latency: ms, jitter: ms / 10 } };
}

async function killed({ indexer }: Rig, more: NodeJS.ProcessEnv): Promise<void> {
  await indexer.restart('SIGKILL', more);
}

async function killedAtStep({ rig, random, ms }: FaultContext): Promise<string> {
  const step = random.pick(FAULT_POINTS.filter((point) => !point.startsWith('rebuild')));
  await killed(rig, { FAULT_POINTS: `${step}:${1 + random.below(3)}` });
  const end = await Promise.race([rig.indexer.current().exited, pause(ms)]);
  await killed(rig, {});
  return end === 'SIGKILL' ? step : 'none was reached';
}

async function paused(rig: Rig, service: 'indexer' | 'api', ms: number): Promise<void> {
  const process = rig[service].current();
  process.kill('SIGSTOP');
  await pause(ms);
  process.kill('SIGCONT');
}

async function stopped(rig: Rig, service: 'indexer' | 'api'): Promise<void> {
  for (let late = 0; await wasHeldUp(rig, service); late += 1)
    if (late === LATE_ENDS) throw new Error(`The ${service} took too long to stop each time`);
}

/** Stops a service, and starts it again. Resolves with whether its own limit has ended it. Throws where it failed. */
async function wasHeldUp(rig: Rig, service: 'indexer' | 'api'): Promise<boolean> {
  const process = rig[service].current();
  const began = performance.now();
  const between = (): Promise<void> => {
    const tookMs = performance.now() - began;
    return tookMs > STOP_WITHIN_MS
      ? Promise.reject(new Error(`The ${service} took ${Math.round(tookMs)} ms to stop`))
      : Promise.resolve();
  };
  const ended = await rig[service].restart('SIGTERM', {}, between);
  if (ended === 0) return false;
  if (process.log.some(({ msg }) => msg === 'Stopping took too long')) return true;
  const last = process.output().trimEnd().split('\n').slice(-12).join('\n');
  throw new Error(`The ${service} ended with ${ended} when it was asked to stop:\n${last}`);
}

async function clockBack({ rig, ms }: FaultContext): Promise<void> {
  const shifted = { NODE_OPTIONS: `--import ${CLOCK}`, CLOCK_OFFSET_MS: String(-HOUR_MS) };
  await killed(rig, shifted);
  await pause(ms);
  await killed(rig, {});
}

async function restarted({ servers }: Rig, name: 'mongodb' | 'redis', ms: number): Promise<void> {
  await servers[name].kill();
  await pause(ms / 4);
  await servers[name].restart();
}

async function frozen({ servers }: Rig, name: 'mongodb' | 'redis', ms: number): Promise<void> {
  await servers[name].freeze();
  try {
    await pause(ms);
  } finally {
    await servers[name].thaw();
  }
}

async function redisFull({ rig, ms }: FaultContext): Promise<void> {
  const { redis } = rig.direct;
  await onceItAnswers(() => redis.config('SET', 'maxmemory', '1'));
  try {
    await pause(ms);
  } finally {
    await onceItAnswers(() => redis.config('SET', 'maxmemory', '0'));
  }
}

/** Asks a store until it answers, because another fault may have taken it away. */
function onceItAnswers(ask: () => Promise<unknown>): Promise<void> {
  return until(() =>
    ask().then(
      () => true,
      () => false,
    ),
  );
}

async function away(proxy: Proxy, ms: number): Promise<void> {
  await proxy.disable();
  try {
    await pause(ms);
  } finally {
    await proxy.heal();
  }
}

async function poisoned(proxy: Proxy, toxic: Toxic, ms: number): Promise<void> {
  await proxy.poison(toxic);
  try {
    await pause(ms);
  } finally {
    await proxy.heal();
  }
}

/** The only member of the set steps down for as long as it is told, and then takes over again. */
async function mongodbStepsDown({ rig, ms }: FaultContext): Promise<void> {
  const admin = rig.direct.mongo.client.db('admin');
  const seconds = Math.max(2, Math.round(ms / 2_000));
  const stepDown = () => admin.command({ replSetStepDown: seconds, force: true });
  await until(() => stepDown().then(() => true, isHeldUp));
  for (;;) {
    const hello = await admin.command({ hello: 1 });
    if (hello['isWritablePrimary'] === true) return;
    await pause(200);
  }
}

/** A member that is held up for as long as it was to be down does not step down. Throws any other error. */
function isHeldUp(error: unknown): false {
  if ((error as MongoServerError).codeName === 'ExceededTimeLimit') return false;
  throw error;
}

/** Where the run has no Elasticsearch of its own, connections to it are cut instead. */
async function searchKilled({ rig, ms }: FaultContext): Promise<void> {
  const { elasticsearch } = rig.servers;
  if (!elasticsearch) return away(rig.proxies.elasticsearch, ms);
  await elasticsearch.kill();
  await pause(ms / 4);
  await elasticsearch.restart();
}

async function searchRejects({ rig, ms }: FaultContext): Promise<void> {
  rig.refusing.refuse(429);
  await pause(ms);
  rig.refusing.refuse();
}

async function searchBlocked(
  { direct, namespace }: Rig,
  block: 'write' | 'read_only_allow_delete',
  ms: number,
): Promise<void> {
  const index = `${searchAlias(namespace)}-*`;
  // Another fault may just have removed the index.
  const some = { index, allow_no_indices: true };
  const set = (value: boolean | null) =>
    direct.elasticsearch.indices.putSettings({ ...some, settings: { blocks: { [block]: value } } });
  await set(true);
  try {
    await pause(ms);
  } finally {
    await set(null);
  }
}

/** Removes the search index, and waits until an indexer has built it again. */
async function searchLost({ direct: { elasticsearch }, namespace }: Rig): Promise<void> {
  const found = await elasticsearch.indices.get({ index: `${searchAlias(namespace)}-*` });
  const index = Object.keys(found);
  if (index.length > 0) await elasticsearch.indices.delete({ index, ignore_unavailable: true });
}

/** Asks for two rebuilds at once. At most one of them may begin. */
async function twoRebuilds({ rig }: FaultContext): Promise<string> {
  const statuses = await Promise.all([askForRebuild(rig), askForRebuild(rig)]);
  if (statuses.filter((status) => status === 202).length > 1) {
    throw new Error('Two rebuilds were begun at once');
  }
  return statuses.sort().join(' and ');
}

async function rebuildKilled({ rig, random, ms }: FaultContext): Promise<string> {
  const step = random.pick(FAULT_POINTS.filter((point) => point.startsWith('rebuild')));
  await killed(rig, { FAULT_POINTS: `${step}:1` });
  await askForRebuild(rig);
  const end = await Promise.race([rig.indexer.current().exited, pause(ms * 2)]);
  await killed(rig, {});
  return end === 'SIGKILL' ? step : 'none was reached';
}

async function askForRebuild({ url }: Rig): Promise<number> {
  const response = await fetch(`${url}/admin/reindex`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"target":"search"}',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch(() => null);
  await response?.arrayBuffer();
  return response?.status ?? 0;
}
