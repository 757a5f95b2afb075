import type { Client } from '@elastic/elasticsearch';
import type { AdminStats } from '../../../shared/contract/admin.js';
import { API_VERSION } from '../../../shared/contract/openapi.js';
import type { Collections } from '../../../shared/store/collections.js';
import { oldestPendingSeconds } from '../../../shared/store/oldestPending.js';
import { mirrorStats } from '../../../shared/store/mirrorStats.js';
import { FAILED } from '../../../shared/store/quarantine.js';
import { NEVER, type WorkKind } from '../../../shared/store/work.js';
import { syncState } from '../../../shared/store/syncState.js';
import { problemOf, readSearchFacts } from '../../../shared/store/searchFacts.js';
import { jsonAnswer } from '../answer.js';
import { storeStates } from '../health/getReadiness.js';
import type { Handler } from '../http/route.js';
import type { StoreWatches } from '../stores/guardStores.js';
import type { ReadBody } from '../bodies/bodyReader.js';
import { archiveTotals } from './archiveTotals.js';
import { orNull } from './orNull.js';
import { withQueue, type QueueDeps } from './withQueue.js';

/** Counters of the response cache of this process. `bytes` is what its entries take, and `traffic` counts look-ups. */
export interface CacheCounters {
  size: { entries: number; bytes: number };
  traffic: { hits: number; misses: number };
}

interface Deps extends QueueDeps {
  watches: StoreWatches;
  elasticsearch: Client;
  collections: Collections;
  readBody: ReadBody;
  namespace: string;
  cache: CacheCounters;
}

/** GET /admin/stats. Each part is null while the store that it is read from is away. */
export function getAdminStats(deps: Deps): Handler<unknown, unknown> {
  return async () => {
    const [archive, views, search, queue, indexers, stores, sync, mirror] = await Promise.all([
      archiveTotals({ ...deps.collections, readBody: deps.readBody }),
      freshness(deps.collections),
      orNull(readSearchFacts(deps.elasticsearch, deps.namespace)),
      orNull(withQueue(deps, () => deps.producer.counts())),
      orNull(withQueue(deps, () => deps.producer.workers())),
      storeStates(deps.watches),
      orNull(syncState(deps.collections)),
      orNull(mirrorStats(deps.collections)),
    ]);
    const stats: AdminStats = {
      version: API_VERSION,
      archive,
      queue,
      indexers,
      views,
      search: {
        documents: search?.documents ?? null,
        problem: search && problemOf(search, { threads: archive.threads, pending: views.pending }),
      },
      cache: cacheNumbers(deps.cache),
      stores,
      sync,
      mirror,
    };
    return jsonAnswer(stats);
  };
}

function cacheNumbers({ size, traffic: { hits, misses } }: CacheCounters): AdminStats['cache'] {
  const asked = hits + misses;
  const hitRate = asked === 0 ? 0 : Math.round((hits / asked) * 1_000) / 1_000;
  return { ...size, hits, misses, hitRate };
}

/** Kinds of marks of people and servers that are still to be counted. */
const COUNTED: WorkKind[] = ['person', 'server'];

async function freshness({ work }: Collections): Promise<AdminStats['views']> {
  const [pending, oldest, marks, quarantined] = await Promise.all([
    orNull(work.countDocuments({ kind: 'thread', due: { $ne: NEVER } })),
    orNull(oldestPendingSeconds({ work })),
    orNull(work.countDocuments({ kind: { $in: COUNTED }, due: { $ne: NEVER } })),
    orNull(work.countDocuments(FAILED)),
  ]);
  return { pending, oldestPendingSeconds: oldest, dirty: marks, quarantined };
}
