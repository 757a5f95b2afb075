import { createMongo, createRedis } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../shared/platform/env.js';
import { withDatabase } from '../../test/support/databases.js';
import type { TestStores } from '../../test/support/stores.js';

/** Clients of the servers that the environment names, all on one database. */
export interface BenchStores extends Pick<TestStores, 'mongo' | 'elasticsearch' | 'redis'> {
  /** MONGODB_URL with the name of the database, for processes that a benchmark starts. */
  mongodbUrl: string;
  close(): Promise<void>;
}

const LIMIT_MS = 600_000;

/** Opens a database of the servers that the environment names. */
export async function openStores(database: string): Promise<BenchStores> {
  const settings = readSettings();
  const mongodbUrl = withDatabase(settings.MONGODB_URL, database);
  const mongo = createMongo({ MONGODB_URL: mongodbUrl }, { timeoutMs: LIMIT_MS, poolSize: 20 });
  const elasticsearch = createElasticsearch(settings, { timeoutMs: LIMIT_MS });
  const redis = createRedis(settings.REDIS_URL, { timeoutMs: 10_000 });
  await redis.connect();
  return {
    mongo,
    elasticsearch,
    redis,
    mongodbUrl,
    async close() {
      redis.disconnect();
      await mongo.client.close();
      await elasticsearch.close();
    },
  };
}
