import { gunzipSync } from 'node:zlib';
import { Binary } from 'mongodb';
import { searchAlias } from '../../shared/store/searchIndex.js';
import type { TestStores } from './stores.js';

/** Everything that the stores hold as texts: documents, bodies unpacked, search documents, Redis keys and values. */
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
  for (const key of await redis.keys(`${mongo.namespace}:*`)) {
    texts.push(`redis ${key} ${await redis.dump(key)}`);
  }
  return texts;
}

/** Gzip bodies as the text they hold. BSON's own JSON form of a Binary comes here as base64. */
function unpacked(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key];
  if (!(raw instanceof Binary)) return value;
  const bytes = Buffer.from(raw.value());
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString() : value;
}
