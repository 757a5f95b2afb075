import { pino } from 'pino';
import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { collectionsOf } from '../../shared/store/collections.js';
import { createRedis, type Mongo } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import type { Logger } from '../../shared/platform/logger.js';
import { ensureSearchIndex, searchAlias, searchIndexName } from '../../shared/store/searchIndex.js';
import { openDatabase, type DatabaseOptions } from './databases.js';
import { PATIENCE_MS, patientElasticsearch } from './patientElasticsearch.js';

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
  /**
   * Empties the stores. Their search index is a new one afterwards, and so are the collections, because a process
   * remembers what it has read by the collection from which it came. With `keepIndex`, the search index is only
   * emptied, unless there is another one besides it.
   */
  renew(options?: { keepIndex?: boolean }): Promise<void>;
  /** Gives up everything, and closes the clients. */
  close(): Promise<void>;
}

/**
 * Opens stores with indexes and an empty search index. With `isSearchLate`, the search index is made before the first
 * request of the given client. It costs Elasticsearch a tenth of a second of processor time, and many tests never
 * search.
 */
export async function openStores({
  isSearchLate = false,
  ...options
}: DatabaseOptions & { isSearchLate?: boolean } = {}): Promise<TestStores> {
  const database = await openDatabase(options);
  const { mongo, mongodbUrl } = database;
  const redis = createRedis(readSettings().REDIS_URL, { timeoutMs: PATIENCE_MS });
  redis.on('error', () => undefined);
  // Each write side that a suite makes over it adds a listener.
  redis.setMaxListeners(0);
  await redis.connect();
  const search = lateSearch(mongo.namespace);
  const { elasticsearch } = search;
  const written = { elasticsearch: search.maker, redis, mongo };
  if (database.isUsed) await emptyStores(written);
  if (!isSearchLate) await search.make();
  return {
    mongo,
    elasticsearch,
    redis,
    logger: pino({ level: 'silent' }),
    mongodbUrl,
    async refreshSearch() {
      await elasticsearch.indices.refresh({ index: searchAlias(mongo.namespace) });
    },
    async renew(this: TestStores, { keepIndex = false } = {}) {
      if (!keepIndex || !(await emptyIndex(written))) {
        await removeIndexes(written);
        search.forget();
        if (!isSearchLate) await search.make();
      }
      await removeKeys(redis, mongo.namespace);
      await emptyMongo(mongo);
      this.mongo = { ...mongo, collections: collectionsOf(mongo.db) };
    },
    async close() {
      await removeSearchAndKeys(written);
      redis.disconnect();
      await database.close();
      await Promise.all([elasticsearch.close(), search.maker.close()]);
    },
  };
}

/** A client before whose first request the search index is made, and the client that makes it. */
function lateSearch(namespace: string) {
  const maker = patientElasticsearch();
  let made: Promise<void> | undefined;
  const make = (): Promise<void> => (made ??= ensureSearchIndex(maker, namespace));
  return {
    maker,
    make,
    elasticsearch: patientElasticsearch(readSettings(), make),
    forget: () => void (made = undefined),
  };
}

/** Removes all documents, the search indexes and the Redis keys of a database. */
export async function emptyStores(
  stores: Pick<TestStores, 'elasticsearch' | 'redis' | 'mongo'>,
): Promise<void> {
  await removeSearchAndKeys(stores);
  await emptyMongo(stores.mongo);
}

/**
 * Deletes all documents of a database. Its collections and their indexes stay. MongoDB is first asked which collections
 * have any, because most of them are empty.
 */
export async function emptyMongo({ db }: Pick<Mongo, 'db'>): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const [first, ...others] = collections.map(({ name: coll }) => ({
    coll,
    pipeline: [{ $limit: 1 }, { $project: { _id: 0, coll } }],
  }));
  if (!first) return;
  const filled = await db
    .collection(first.coll)
    .aggregate<{ coll: string }>([
      ...first.pipeline,
      ...others.map((other) => ({ $unionWith: other })),
    ])
    .toArray();
  for (const { coll } of filled) await db.collection(coll).deleteMany({});
}

/** Removes the search indexes and the Redis keys of a database. */
export async function removeSearchAndKeys({
  redis,
  ...searched
}: Pick<TestStores, 'elasticsearch' | 'redis' | 'mongo'>): Promise<void> {
  await removeIndexes(searched);
  await removeKeys(redis, searched.mongo.namespace);
}

type Searched = Pick<TestStores, 'elasticsearch' | 'mongo'>;

async function removeIndexes(searched: Searched): Promise<void> {
  const index = Object.keys(await indexesOf(searched));
  if (index.length > 0) await searched.elasticsearch.indices.delete({ index });
}

/** Deletes all documents of the first search index. Resolves with false where it is not the only one behind the alias. */
async function emptyIndex(searched: Searched): Promise<boolean> {
  const { elasticsearch, mongo } = searched;
  const index = searchIndexName(mongo.namespace, 1);
  const { [index]: first, ...others } = await indexesOf(searched);
  const isAlone =
    first?.aliases?.[searchAlias(mongo.namespace)] && Object.keys(others).length === 0;
  if (!isAlone) return false;
  await elasticsearch.indices.refresh({ index });
  await elasticsearch.deleteByQuery({ index, query: { match_all: {} }, refresh: true });
  return true;
}

function indexesOf({ elasticsearch, mongo }: Searched) {
  return elasticsearch.indices.get({ index: `${searchAlias(mongo.namespace)}-*` });
}

async function removeKeys(redis: Redis, namespace: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${namespace}:*`, 'COUNT', 1000);
    if (keys.length > 0) await redis.del(keys);
    cursor = next;
  } while (cursor !== '0');
}
