import { randomUUID } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { createMongo, createRedis, type Mongo } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { ensureIndexes } from '../../shared/store/indexes.js';
import { PATIENCE_MS, patientElasticsearch } from './patientElasticsearch.js';
import { withDatabase } from './stores.js';

/** Clients of the real servers, on a database of their own, without a search index. */
export interface ApiStores {
  mongo: Mongo;
  elasticsearch: Client;
  redis: Redis;
  /** MONGODB_URL with the name of the database, for processes that a test starts. */
  mongodbUrl: string;
  /** Drops the database and closes the clients. */
  close(): Promise<void>;
}

/** Opens stores under a random name, with the indexes of MongoDB. */
export async function openApiStores(): Promise<ApiStores> {
  const namespace = `test_api_${randomUUID().slice(0, 8)}`;
  const settings = readSettings();
  const mongodbUrl = withDatabase(settings.MONGODB_URL, namespace);
  const mongo = createMongo({ MONGODB_URL: mongodbUrl }, { timeoutMs: PATIENCE_MS, poolSize: 20 });
  const elasticsearch = patientElasticsearch(settings);
  const redis = createRedis(settings.REDIS_URL, { timeoutMs: PATIENCE_MS });
  await redis.connect();
  await ensureIndexes(mongo.collections);
  return {
    mongo,
    elasticsearch,
    redis,
    mongodbUrl,
    async close() {
      redis.disconnect();
      await mongo.db.dropDatabase();
      await mongo.client.close();
      await elasticsearch.close();
    },
  };
}
