import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { pingMongo, type Mongo } from '../../../shared/platform/clients.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { watchRedis } from '../../../shared/platform/watchRedis.js';
import { watchStore, type StoreWatch } from '../../../shared/platform/watchStore.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { TimeLimits } from '../timeLimit.js';
import { guardCollections } from './guardCollections.js';
import { guardElasticsearch } from './guardElasticsearch.js';
import { createGuard } from './storeGuard.js';

/** The watch of each store. `queue` is the Redis of the queue. It may be the same server as that of the cache. */
export type StoreWatches = Record<'mongodb' | 'elasticsearch' | 'redis' | 'queue', StoreWatch>;

/** MongoDB gives a read up so long (ms) before its guard does, so that the guard still gets MongoDB's own error. */
const ANSWER_MS = 500;

/** The stores, as the API uses them. */
export interface GuardedStores {
  collections: Collections;
  elasticsearch: Client;
  watches: StoreWatches;
  /** Stops watching the stores. */
  stop(): void;
}

/**
 * Watches the stores. Every call to MongoDB and Elasticsearch ends within its limit, or at once while the store is
 * away. A Redis connection refuses commands by itself while it is down, so a silent connection is closed.
 */
export function guardStores(clients: {
  mongo: Mongo;
  elasticsearch: Client;
  redis: Redis;
  queueRedis: Redis;
  logger: Logger;
  observeCall: (store: string, seconds: number, failed: boolean) => void;
  timeLimits: Pick<TimeLimits, 'pingMs' | 'callMs'>;
}): GuardedStores {
  const { mongo, elasticsearch, redis, queueRedis, logger, observeCall } = clients;
  const { pingMs: limitMs, callMs } = clients.timeLimits;
  // The watch ends its wait before this.
  const endsMs = limitMs + 250;
  const watches: StoreWatches = {
    mongodb: watchStore({ name: 'mongodb', ping: () => pingMongo(mongo, endsMs), logger, limitMs }),
    elasticsearch: watchStore({
      name: 'elasticsearch',
      ping: () => elasticsearch.ping({}, { requestTimeout: endsMs, maxRetries: 0 }),
      logger,
      limitMs,
    }),
    redis: watchRedis('redis', redis, logger, limitMs),
    queue: watchRedis('queue', queueRedis, logger, limitMs),
  };
  const guardOf = (name: 'mongodb' | 'elasticsearch') =>
    createGuard(watches[name], (seconds, failed) => observeCall(name, seconds, failed), callMs);
  return {
    collections: guardCollections(mongo.collections, guardOf('mongodb'), callMs - ANSWER_MS),
    elasticsearch: guardElasticsearch(elasticsearch, guardOf('elasticsearch')),
    watches,
    stop() {
      for (const watch of Object.values(watches)) watch.stop();
    },
  };
}
