import { announcementChannel } from '../../shared/jobs/announcements.js';
import { createProducer } from '../../shared/jobs/producer.js';
import { createElasticsearch, createMongo, createRedis } from '../../shared/platform/clients.js';
import { closeRedis } from '../../shared/platform/closeRedis.js';
import { readSettings } from '../../shared/platform/env.js';
import { logFailures } from '../../shared/platform/logFailures.js';
import { createLogger } from '../../shared/platform/logger.js';
import { registerStores } from '../../shared/platform/metrics.js';
import { stopOnSignal } from '../../shared/platform/shutdown.js';
import { createApp } from './app.js';
import { createAuth } from './auth/createAuth.js';
import { createRateLimits } from './http/credentials/rateLimits.js';
import { listen } from './http/listen.js';
import { outcomeBytes } from './http/mount.js';
import { ResponseCache } from './http/responseCache.js';
import { connectRedis } from './redis/connectRedis.js';
import { createApiMetrics } from './metrics/apiMetrics.js';
import { followAnnouncements } from './redis/followAnnouncements.js';
import { guardStores } from './stores/guardStores.js';
import { CALL_LIMIT_MS } from './timeLimit.js';

const settings = readSettings();
const logger = createLogger('api', settings.LOG_LEVEL);
const cacheUrl = settings.CACHE_REDIS_URL ?? settings.REDIS_URL;

const mongo = createMongo(settings, { timeoutMs: CALL_LIMIT_MS, poolSize: 50 });
const elasticsearch = createElasticsearch(settings, { timeoutMs: CALL_LIMIT_MS });
const redis = connectRedis(createRedis(cacheUrl, { timeoutMs: 250 }), logger);
const cache = new ResponseCache({
  maxBytes: settings.CACHE_MEGABYTES * 1_048_576,
  sizeOf: outcomeBytes,
});
const subscription = followAnnouncements(
  createRedis(cacheUrl, { timeoutMs: 250 }),
  announcementChannel(mongo.namespace),
  cache,
  logger,
);

const limits = settings.RATE_LIMIT_DISABLED
  ? undefined
  : createRateLimits(settings, redis, mongo.namespace);
if (settings.DISABLE_AUTH) logger.warn('DISABLE_AUTH is set: everyone may do everything');

const producer = createProducer({
  ...{ redisUrl: settings.REDIS_URL, namespace: mongo.namespace, timeoutMs: 2_000 },
});
logFailures(producer.redis, logger);
const metrics = createApiMetrics(cache);
const { observeCall } = metrics;
const stores = guardStores({
  mongo,
  elasticsearch,
  redis,
  queueRedis: producer.redis,
  logger,
  observeCall,
});
registerStores(metrics.registry, stores.watches);
const app = createApp({
  ...stores,
  namespace: mongo.namespace,
  producer,
  redis,
  cache,
  logger,
  metrics,
  metricsToken: settings.METRICS_TOKEN,
  corsOrigins: settings.CORS_ORIGINS,
  auth: createAuth(settings, stores.collections),
  credentials: { disableAuth: settings.DISABLE_AUTH, limits, trustProxy: settings.TRUST_PROXY },
});
const server = await listen(app, { host: settings.HOST, port: settings.PORT });
logger.info({ url: server.url }, 'Listening');

stopOnSignal(
  [
    { name: 'answer what was asked', run: () => server.drain(), limitMs: 6_000 },
    { name: 'stop counting requests', run: () => Promise.resolve(limits?.stop()) },
    { name: 'stop listening to announcements', run: () => subscription.stop() },
    { name: 'stop watching the stores', run: stores.stop },
    { name: 'close the queue', run: () => producer.close() },
    { name: 'close Redis', run: () => closeRedis(redis) },
    { name: 'close Elasticsearch', run: () => elasticsearch.close() },
    { name: 'close MongoDB', run: () => mongo.client.close() },
  ],
  logger,
);
