import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
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
  /** The search index as it was when it was made. */
  searchIndex: object;
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
    searchIndex: await searchIndexes(elasticsearch, namespace),
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
  const names = Object.keys(await searchIndexes(elasticsearch, mongo.namespace));
  if (names.length > 0) await elasticsearch.indices.delete({ index: names });
  await removeKeys(redis, mongo.namespace);
}

/** The search indexes of a database, each with its id, aliases, mapping and settings. */
function searchIndexes(elasticsearch: Client, namespace: string): Promise<object> {
  return elasticsearch.indices.get({ index: `${searchAlias(namespace)}-*` });
}

/**
 * Empties stores. Their search index is an unused one afterwards. Their collections are new objects, because a process
 * remembers what it has read by the collection from which it came. The database itself stays, because making its files
 * costs more than anything else.
 */
export async function renewStores(stores: TestStores): Promise<void> {
  const { mongo, elasticsearch, redis } = stores;
  if (await isSearchUnused(stores)) await removeKeys(redis, mongo.namespace);
  else {
    await removeSearchAndKeys(stores);
    await ensureSearchIndex(elasticsearch, mongo.namespace);
    stores.searchIndex = await searchIndexes(elasticsearch, mongo.namespace);
  }
  await emptyMongo(mongo);
  stores.mongo = { ...mongo, collections: collectionsOf(mongo.db) };
}

/** Whether the search index is as it was made, and nothing was ever written to it. Making another one costs much more. */
async function isSearchUnused({
  elasticsearch,
  mongo: { namespace },
  searchIndex,
}: TestStores): Promise<boolean> {
  const found = await searchIndexes(elasticsearch, namespace);
  if (!isDeepStrictEqual(found, searchIndex)) return false;
  const index = Object.keys(found);
  const { _all } = await elasticsearch.indices.stats({ index, metric: 'indexing' });
  const { index_total: written, delete_total: deleted } = _all.primaries!.indexing!;
  return written + deleted === 0;
}

/** Deletes all documents of a database. Its collections and their indexes stay. */
export async function emptyMongo({ db }: Pick<Mongo, 'db'>): Promise<void> {
  for (const name of await filledCollections(db)) await db.collection(name).deleteMany({});
}

/** The names of the collections that hold documents. Most of them are empty, so one question for all costs less. */
async function filledCollections(db: Mongo['db']): Promise<string[]> {
  const all = await db.listCollections({}, { nameOnly: true }).toArray();
  const [first, ...others] = all.map(({ name }) => name);
  if (first === undefined) return [];
  const nameOf = (coll: string) => [{ $limit: 1 }, { $project: { _id: { $literal: coll } } }];
  const filled = await db
    .collection(first)
    .aggregate<{ _id: string }>([
      ...nameOf(first),
      ...others.map((coll) => ({ $unionWith: { coll, pipeline: nameOf(coll) } })),
    ])
    .toArray();
  return filled.map(({ _id }) => _id);
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
