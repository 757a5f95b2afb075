import { createProducer } from '../../shared/jobs/producer.js';
import { ensureIndexes } from '../../shared/store/indexes.js';
import {
  describeMapping,
  ensureSearchIndex,
  readSearchIndex,
} from '../../shared/store/searchIndex.js';
import {
  createElasticsearch,
  createMongo,
  createRedis,
  createWorkerRedis,
} from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { armFaultPoints } from '../../shared/platform/faultPoint.js';
import { createLogger } from '../../shared/platform/logger.js';
import { stopOnSignal } from '../../shared/platform/shutdown.js';
import { checkQueueRedis, QueueRedisError } from './checkQueueRedis.js';
import { createIndexer } from './createIndexer.js';
import { retryUntilReady } from './retryUntilReady.js';

const settings = readSettings();
const logger = createLogger('indexer', settings.LOG_LEVEL);
if (settings.FAULT_POINTS) {
  armFaultPoints(settings.FAULT_POINTS);
  logger.warn('FAULT_POINTS is set: this process will kill itself');
}
const mongo = createMongo(settings, {
  timeoutMs: 60_000,
  poolSize: settings.INDEXER_CONCURRENCY * 4,
});
const elasticsearch = createElasticsearch(settings, { timeoutMs: 30_000 });
const redis = createRedis(settings.CACHE_REDIS_URL ?? settings.REDIS_URL, { timeoutMs: 2_000 });
const queueRedis = createWorkerRedis(settings.REDIS_URL);
for (const connection of [redis, queueRedis]) {
  connection.on('error', (error) => logger.warn({ error }, 'Redis cannot be reached'));
}

void refuse(() => checkQueueRedis(queueRedis, logger));
await retryUntilReady('MongoDB', () => ensureIndexes(mongo.collections), logger);
await retryUntilReady('Elasticsearch', prepareSearch, logger);
void redis.connect().catch(() => undefined);

const producer = createProducer({ redisUrl: settings.REDIS_URL, namespace: mongo.namespace });
const indexer = createIndexer({
  producer,
  settings,
  mongo,
  elasticsearch,
  redis,
  queueRedis,
  logger,
});
stopOnSignal(
  [
    { name: 'work under way', run: () => indexer.stop() },
    { name: 'the queue', run: () => producer.close() },
    {
      name: 'Redis',
      run: () => Promise.all([redis, queueRedis].map((connection) => connection.quit())),
    },
    { name: 'Elasticsearch', run: () => elasticsearch.close() },
    { name: 'MongoDB', run: () => mongo.client.close() },
  ],
  logger,
);
logger.info({ namespace: mongo.namespace }, 'The indexer is ready');

/** Makes the index where there is none, and says when it is not of this version. */
async function prepareSearch(): Promise<void> {
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  const { index, mappingVersion } = await readSearchIndex(elasticsearch, mongo.namespace);
  const problem = describeMapping(mappingVersion);
  if (problem) logger.warn({ index, mappingVersion }, problem);
}

/** A wrong setting ends the start with one clear line. */
async function refuse(check: () => Promise<void>): Promise<void> {
  await check().catch((error: unknown) => {
    if (!(error instanceof QueueRedisError)) throw error;
    logger.fatal(error.message);
    process.exit(1);
  });
}
