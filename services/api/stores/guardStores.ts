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

/**
 * The watch of each store. `redis` is the Redis of the cache, and `queue` that of the queue. Both may be one server.
 */
export type StoreWatches = Record<'mongodb' | 'elasticsearch' | 'redis' | 'queue', StoreWatch>;

/** MongoDB's own limit of a read ends so much earlier (ms) than that of the guard. So MongoDB's error still arrives. */
const ANSWER_MS = 500;

/** The guarded clients of the stores. */
export interface GuardedStores {
  collections: Collections;
  elasticsearch: Client;
  watches: StoreWatches;
  /** Stops watching the stores. */
  stop(): void;
}

/**
 * Watches the stores until `stop` is called, and guards MongoDB and Elasticsearch: every call to them ends within
 * `callMs`, and is refused at once while the store is away. Redis needs no guard. Its watch closes a connection that
 * does not answer, and a closed connection refuses commands by itself.
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
  // The watch decides after `limitMs`. This later limit ends the ping itself.
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
