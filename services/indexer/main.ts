import { createProducer } from '../../shared/jobs/producer.js';
import { expireAudit } from '../../shared/store/expireAudit.js';
import {
  createMongo,
  createRedis,
  createWorkerRedis,
  pingMongo,
} from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { closeRedis } from '../../shared/platform/closeRedis.js';
import { readSettings } from '../../shared/platform/env.js';
import { exitOnWrongSetting } from '../../shared/platform/exitOnWrongSetting.js';
import { armFaultPoints } from '../../shared/platform/faultPoint.js';
import { giveWay } from '../../shared/platform/giveWay.js';
import { logFailures } from '../../shared/platform/logFailures.js';
import { openWritableMirror } from '../../shared/mirror/openMirror.js';
import { createLogger } from '../../shared/platform/logger.js';
import { stopOnSignal, type ShutdownStep } from '../../shared/platform/shutdown.js';
import { withTimeout } from '../../shared/platform/withTimeout.js';
import { checkQueueRedis } from './checkQueueRedis.js';
import { checkReplicaSet } from './checkReplicaSet.js';
import { createIndexer } from './createIndexer.js';
import { keepIndexes } from './keepIndexes.js';
import { serveMetrics } from './metrics/serveMetrics.js';
import { moveOldCollections } from './moveOldCollections.js';
import { prepareSearch } from './prepareSearch.js';
import { retryUntilReady } from './retryUntilReady.js';

/** How long (ms) a store may take to answer at the start, before the wait for it is logged. */
const ANSWER_MS = 5_000;

const settings = await exitOnWrongSetting(() => readSettings());
giveWay(settings.BACKGROUND_NICE);
const logger = createLogger('indexer', settings.LOG_LEVEL);
if (settings.FAULT_POINTS) {
  armFaultPoints(settings.FAULT_POINTS);
  logger.warn('FAULT_POINTS is set: this process will kill itself');
}
const mongo = await exitOnWrongSetting(() =>
  createMongo(settings, { timeoutMs: 60_000, poolSize: settings.INDEXER_CONCURRENCY * 4 }),
);
const files = await exitOnWrongSetting(() => openWritableMirror(settings, mongo.namespace));
const elasticsearch = createElasticsearch(settings, { timeoutMs: 30_000 });
const redis = createRedis(settings.REDIS_URL, { timeoutMs: 2_000 });
const queueRedis = createWorkerRedis(settings.REDIS_URL);
for (const connection of [redis, queueRedis]) logFailures(connection, logger);

const steps: ShutdownStep[] = [
  { name: 'Redis', run: () => Promise.all([redis, queueRedis].map(closeRedis)) },
  { name: 'Elasticsearch', run: () => elasticsearch.close() },
  { name: 'MongoDB', run: () => mongo.client.close() },
];
stopOnSignal(steps, logger);

const answers = (ask: () => Promise<unknown>) => withTimeout(ANSWER_MS, ask);
const whenReady = (name: string, step: () => Promise<unknown>) =>
  retryUntilReady(name, step, logger);
await Promise.all([
  whenReady('Redis', () => answers(() => checkQueueRedis(queueRedis, logger))),
  whenReady('MongoDB', async () => {
    await answers(() => pingMongo(mongo, ANSWER_MS));
    await answers(() => checkReplicaSet(mongo));
    await keepIndexes(mongo, settings);
    await expireAudit(mongo, settings);
    await moveOldCollections(mongo);
  }),
  whenReady('Elasticsearch', () => answers(() => elasticsearch.ping())),
]);
const producer = createProducer({ redisUrl: settings.REDIS_URL, namespace: mongo.namespace });
await whenReady('the search index', () =>
  prepareSearch({ ...mongo, elasticsearch, producer, logger }),
);
// Announcements can wait. If this Redis is away, the client connects when it is back.
await answers(() => redis.connect()).catch(() => undefined);

const indexer = createIndexer({
  producer,
  settings,
  mongo,
  elasticsearch,
  redis,
  queueRedis,
  files,
  logger,
});
if (settings.METRICS_PORT !== undefined) {
  const { HOST: host, METRICS_PORT: port, METRICS_TOKEN: token } = settings;
  const close = await exitOnWrongSetting(() =>
    serveMetrics(indexer.metrics, { host, port, token, logger }),
  );
  steps.push({ name: 'metrics', run: close });
}
steps.unshift(
  { name: 'work under way', run: () => indexer.stop(), limitMs: 6_000 },
  { name: 'the queue', run: () => producer.close() },
);
logger.info({ namespace: mongo.namespace }, 'The indexer is ready');
