import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { createRedis, type Mongo } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { openDatabase, type DatabaseOptions } from './databases.js';
import { PATIENCE_MS, patientElasticsearch } from './patientElasticsearch.js';
import { emptyStores } from './stores.js';

/** Clients of the real servers, on a database of their own, without a search index. */
export interface ApiStores {
  mongo: Mongo;
  elasticsearch: Client;
  redis: Redis;
  /** MONGODB_URL with the name of the database, for processes that a test starts. */
  mongodbUrl: string;
  /** Gives up the database, and closes the clients. */
  close(): Promise<void>;
}

/** Opens stores with the indexes of MongoDB. */
export async function openApiStores(options: DatabaseOptions = {}): Promise<ApiStores> {
  const database = await openDatabase(options);
  const { mongo, mongodbUrl } = database;
  const elasticsearch = patientElasticsearch();
  const redis = createRedis(readSettings().REDIS_URL, { timeoutMs: PATIENCE_MS });
  await redis.connect();
  if (database.isUsed) await emptyStores({ elasticsearch, redis, mongo });
  return {
    mongo,
    elasticsearch,
    redis,
    mongodbUrl,
    async close() {
      redis.disconnect();
      await database.close();
      await elasticsearch.close();
    },
  };
}
