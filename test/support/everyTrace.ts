import { gunzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { Binary } from 'mongodb';
import { searchAlias } from '../../shared/store/searchIndex.js';
import type { TestStores } from './stores.js';

/** Everything that the stores hold, as texts: documents, unpacked bodies, search documents, Redis keys and values. */
export async function everyTrace({
  mongo,
  elasticsearch,
  redis,
}: Pick<TestStores, 'mongo' | 'elasticsearch' | 'redis'>): Promise<string[]> {
  const texts: string[] = [];
  for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray()) {
    for await (const document of mongo.db.collection(name).find()) {
      texts.push(`${name} ${JSON.stringify(document, unpacked)}`);
    }
  }
  const documents = elasticsearch.helpers.scrollDocuments<object>({
    index: searchAlias(mongo.namespace),
    size: 1_000,
  });
  for await (const document of documents) texts.push(`search ${JSON.stringify(document)}`);
  return [...texts, ...(await redisTraces({ mongo, redis }))];
}

/** Everything that Redis holds of an archive, jobs included, as texts. */
export async function redisTraces({
  mongo,
  redis,
}: Pick<TestStores, 'mongo' | 'redis'>): Promise<string[]> {
  const texts: string[] = [];
  for (const key of await redis.keys(`${mongo.namespace}:*`)) {
    texts.push(`redis ${key} ${JSON.stringify(await valueOf(redis, key))}`);
  }
  return texts;
}

/** The whole value of a key. Redis's own dump may be compressed. */
async function valueOf(redis: Redis, key: string): Promise<unknown> {
  const readers: Record<string, () => Promise<unknown>> = {
    string: () => redis.get(key),
    hash: () => redis.hgetall(key),
    list: () => redis.lrange(key, 0, -1),
    set: () => redis.smembers(key),
    zset: () => redis.zrange(key, '0', '-1'),
    stream: () => redis.xrange(key, '-', '+'),
    // The key has expired since it was listed.
    none: () => Promise.resolve(null),
  };
  const type = await redis.type(key);
  const read = readers[type];
  if (!read) throw new Error(`No reader for the Redis type ${type}`);
  return read();
}

/**
 * Unpacks gzip bodies and uploads. In BSON's own JSON form, a Binary is base64. `sent` holds digests, which may begin as
 * gzip does.
 */
function unpacked(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key];
  if (!(raw instanceof Binary) || key === 'sent') return value;
  const bytes = Buffer.from(raw.value());
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString() : value;
}
