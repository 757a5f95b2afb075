import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { collectionsOf } from '../../shared/store/collections.js';
import { createMongo, createRedis, type Mongo } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import type { Logger } from '../../shared/platform/logger.js';
import { ensureIndexes } from '../../shared/store/indexes.js';
import { ensureSearchIndex, searchAlias } from '../../shared/store/searchIndex.js';
import { patientElasticsearch } from './patientElasticsearch.js';

/** Clients of the real servers, on a database and a search index of their own. */
export interface TestStores {
  mongo: Mongo;
  elasticsearch: Client;
  redis: Redis;
  logger: Logger;
  /** MONGODB_URL with the name of the database, for processes that a test starts. */
  mongodbUrl: string;
  /** Makes search show everything that was written. */
  refreshSearch(): Promise<void>;
  /** Drops everything, and closes the clients. */
  close(): Promise<void>;
}

/** Opens stores under a random name, with indexes and an empty search index. */
export async function openStores(): Promise<TestStores> {
  const namespace = `test_${randomUUID().slice(0, 8)}`;
  const mongodbUrl = withDatabase(readSettings().MONGODB_URL, namespace);
  const settings = readSettings({ ...process.env, MONGODB_URL: mongodbUrl });
  const mongo = createMongo(settings, { timeoutMs: 120_000, poolSize: 20 });
  const elasticsearch = patientElasticsearch(settings);
  const redis = createRedis(settings.REDIS_URL, { timeoutMs: 120_000 });
  redis.on('error', () => undefined);
  // Each write side that a suite makes over it adds a listener.
  redis.setMaxListeners(0);
  await redis.connect();
  await ensureIndexes(mongo.collections);
  await ensureSearchIndex(elasticsearch, namespace);
  return {
    mongo,
    elasticsearch,
    redis,
    logger: pino({ level: 'silent' }),
    mongodbUrl,
    async refreshSearch() {
      await elasticsearch.indices.refresh({ index: searchAlias(namespace) });
    },
    async close() {
      await removeSearchAndKeys({ elasticsearch, redis, mongo });
      redis.disconnect();
      await mongo.db.dropDatabase();
      await mongo.client.close();
      await elasticsearch.close();
    },
  };
}

/** Removes the search indexes and the Redis keys of a database. */
export async function removeSearchAndKeys({
  elasticsearch,
  redis,
  mongo,
}: Pick<TestStores, 'elasticsearch' | 'redis' | 'mongo'>): Promise<void> {
  const indexes = await elasticsearch.indices.get({ index: `${searchAlias(mongo.namespace)}-*` });
  const names = Object.keys(indexes);
  if (names.length > 0) await elasticsearch.indices.delete({ index: names });
  await removeKeys(redis, mongo.namespace);
}

/**
 * Empties stores. Their search index is a new one afterwards, and so are the collections, because a process remembers
 * what it has read by the collection from which it came. The database itself stays, because making its files costs more
 * than anything else.
 */
export async function renewStores(stores: TestStores): Promise<void> {
  const { mongo, elasticsearch } = stores;
  await removeSearchAndKeys(stores);
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  await emptyMongo(mongo);
  stores.mongo = { ...mongo, collections: collectionsOf(mongo.db) };
}

/** Deletes all documents of a database. Its collections and their indexes stay. */
export async function emptyMongo({ db }: Pick<Mongo, 'db'>): Promise<void> {
  for (const collection of await db.collections()) await collection.deleteMany({});
}

/** A MongoDB URL with another database. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`);
}

async function removeKeys(redis: Redis, namespace: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${namespace}:*`, 'COUNT', 1000);
    if (keys.length > 0) await redis.del(keys);
    cursor = next;
  } while (cursor !== '0');
}
