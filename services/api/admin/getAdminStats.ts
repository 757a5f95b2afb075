import type { Client } from '@elastic/elasticsearch';
import type { AdminStats } from '../../../shared/contract/admin.js';
import { API_VERSION } from '../../../shared/contract/openapi.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import type { Collections } from '../../../shared/store/collections.js';
import { listScope } from '../../../shared/store/listKeys.js';
import { oldestPendingSeconds } from '../../../shared/store/oldestPending.js';
import { searchAlias, searchProblem } from '../../../shared/store/searchIndex.js';
import { jsonAnswer } from '../answer.js';
import { storeStates } from '../health/getReadiness.js';
import type { Handler } from '../http/route.js';
import type { StoreWatches } from '../stores/guardStores.js';
import { timeLimit } from '../timeLimit.js';
import { withQueue } from './withQueue.js';

/** What a process knows of its own cache. */
export interface CacheCounters {
  size: { entries: number; bytes: number };
  traffic: { hits: number; misses: number };
}

interface Deps {
  watches: StoreWatches;
  elasticsearch: Client;
  collections: Collections;
  namespace: string;
  producer: Producer;
  cache: CacheCounters;
}

/** GET /admin/stats: each part is null while its store is away. */
export function getAdminStats(deps: Deps): Handler<unknown, unknown> {
  return async () => {
    const [archive, views, documents, problem, queue, indexers, stores] = await Promise.all([
      orNull(countArchive(deps.collections)),
      orNull(freshness(deps.collections)),
      orNull(countDocuments(deps)),
      orNull(searchProblem(deps.elasticsearch, deps.namespace)),
      orNull(withQueue(() => deps.producer.counts())),
      orNull(withQueue(() => deps.producer.workers())),
      storeStates(deps.watches),
    ]);
    const stats: AdminStats = {
      version: API_VERSION,
      archive: archive ?? {
        ...{ servers: null, channels: null, threads: null, messages: null, users: null },
      },
      queue,
      indexers,
      views: views ?? { pending: null, oldestPendingSeconds: null, dirty: null, quarantined: null },
      search: { documents, problem },
      cache: cacheNumbers(deps.cache),
      stores,
    };
    return jsonAnswer(stats);
  };
}

function cacheNumbers({ size, traffic: { hits, misses } }: CacheCounters): AdminStats['cache'] {
  const asked = hits + misses;
  const hitRate = asked === 0 ? 0 : Math.round((hits / asked) * 1_000) / 1_000;
  return { ...size, hits, misses, hitRate };
}

async function orNull<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch {
    return null;
  }
}

async function countArchive(store: Collections): Promise<AdminStats['archive']> {
  const alive = { deleted: { $ne: true } };
  const [servers, channels, users, listed] = await Promise.all([
    store.servers.countDocuments(alive, timeLimit()),
    store.channels.countDocuments(alive, timeLimit()),
    store.users.estimatedDocumentCount({ maxTimeMS: 2_000 }),
    store.threadItems
      .aggregate<{ threads: number; messages: number }>(
        [
          { $match: { scopes: listScope({ status: 'all' }) } },
          { $group: { _id: null, threads: { $sum: 1 }, messages: { $sum: '$facts.messages' } } },
        ],
        timeLimit(),
      )
      .next(),
  ]);
  const { threads = 0, messages = 0 } = listed ?? {};
  return { servers, channels, threads, messages, users };
}

async function freshness({
  threads,
  dirty,
  quarantine,
}: Collections): Promise<AdminStats['views']> {
  const [pending, oldest, marks, quarantined] = await Promise.all([
    threads.countDocuments({ pending: { $exists: true } }, timeLimit()),
    oldestPendingSeconds({ threads }, timeLimit()),
    dirty.countDocuments({}, timeLimit()),
    quarantine.countDocuments({}, timeLimit()),
  ]);
  return { pending, oldestPendingSeconds: oldest, dirty: marks, quarantined };
}

async function countDocuments({ elasticsearch, namespace }: Deps): Promise<number> {
  const kinds = { terms: { kind: ['thread', 'message'] } };
  const { count } = await elasticsearch.count({ index: searchAlias(namespace), query: kinds });
  return count;
}
