/**
 * A verification of an archive that is as it must be: how long it takes, and the memory of the process that does it.
 * A database that is named is filled when it is empty, and kept; else one is made and dropped.
 *
 * verifyArchive.js [--threads N] [--messages N] [--database NAME] [--only-fill] [--drop]
 */
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { verifyArchive } from '../services/indexer/verify/verifyArchive.js';
import { createMongo, createRedis } from '../shared/platform/clients.js';
import { createElasticsearch } from '../shared/platform/createElasticsearch.js';
import { readSettings } from '../shared/platform/env.js';
import { ensureIndexes } from '../shared/store/indexes.js';
import { ensureSearchIndex } from '../shared/store/searchIndex.js';
import { indexerDeps } from '../test/support/indexerDeps.js';
import { removeSearchAndKeys, withDatabase } from '../test/support/stores.js';
import { fillArchive } from './fillArchive.js';

const { values: options } = parseArgs({
  options: {
    threads: { type: 'string', default: '20000' },
    messages: { type: 'string', default: '5' },
    database: { type: 'string' },
    'only-fill': { type: 'boolean', default: false },
    drop: { type: 'boolean', default: false },
  },
});
const database = options.database ?? `bench_verify_${process.pid}`;
const settings = readSettings({
  ...process.env,
  MONGODB_URL: withDatabase(readSettings().MONGODB_URL, database),
});
const mongo = createMongo(settings, { timeoutMs: 60_000, poolSize: 20 });
const elasticsearch = createElasticsearch(settings, { timeoutMs: 60_000 });
const redis = createRedis(settings.REDIS_URL, { timeoutMs: 10_000 });
const deps = indexerDeps({ mongo, elasticsearch, redis, logger: pino({ level: 'error' }) });
try {
  await redis.connect();
  await ensureIndexes(mongo.collections);
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  if ((await mongo.collections.threads.estimatedDocumentCount()) === 0) {
    const { threads, messages } = options;
    await fillArchive(deps, { threads: Number(threads), messages: Number(messages) });
  }
  if (!options['only-fill']) await measure();
} finally {
  if (options.drop || options.database === undefined) {
    await removeSearchAndKeys({ elasticsearch, redis, mongo });
    await mongo.db.dropDatabase();
  }
  redis.disconnect();
  await mongo.client.close();
  await elasticsearch.close();
}

async function measure(): Promise<void> {
  const started = performance.now();
  const { user, system } = process.cpuUsage();
  const report = await verifyArchive(deps);
  const cpu = process.cpuUsage({ user, system });
  console.log(JSON.stringify(report.checked));
  console.log(`Clean: ${report.clean}, differences: ${JSON.stringify(report.counts)}`);
  console.log(`Seconds: ${((performance.now() - started) / 1_000).toFixed(1)}`);
  console.log(`CPU seconds of this process: ${((cpu.user + cpu.system) / 1e6).toFixed(1)}`);
  console.log(`Most memory: ${Math.round(process.resourceUsage().maxRSS / 1_024)} MB`);
}
