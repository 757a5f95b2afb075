import { createProducer } from '../../shared/jobs/producer.js';
import { createMongo, createRedis } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { closeRedis } from '../../shared/platform/closeRedis.js';
import { readSettings } from '../../shared/platform/env.js';
import { exitOnWrongSetting } from '../../shared/platform/exitOnWrongSetting.js';
import { logFailures } from '../../shared/platform/logFailures.js';
import { createLogger } from '../../shared/platform/logger.js';
import { stopOnSignal } from '../../shared/platform/shutdown.js';
import { createApi } from './createApi.js';
import { listen } from './http/listen.js';
import { connectRedis } from './redis/connectRedis.js';
import { CALL_LIMIT_MS } from './timeLimit.js';

const settings = await exitOnWrongSetting(() => readSettings());
const logger = createLogger('api', settings.LOG_LEVEL);
if (settings.DISABLE_AUTH) logger.warn('DISABLE_AUTH is set: everyone may do everything');
const cacheUrl = settings.CACHE_REDIS_URL ?? settings.REDIS_URL;

const mongo = await exitOnWrongSetting(() =>
  createMongo(settings, { timeoutMs: CALL_LIMIT_MS, poolSize: 50 }),
);
const elasticsearch = createElasticsearch(settings, { timeoutMs: CALL_LIMIT_MS });
const redis = connectRedis(createRedis(cacheUrl, { timeoutMs: 250 }), logger);
const subscriber = createRedis(cacheUrl, { timeoutMs: 250 });
const { REDIS_URL: redisUrl } = settings;
const producer = createProducer({ redisUrl, namespace: mongo.namespace, timeoutMs: 2_000 });
logFailures(producer.redis, logger);

const clients = { mongo, elasticsearch, redis, subscriber, producer };
const { app, closing } = createApi({ settings, logger, ...clients });
const server = await exitOnWrongSetting(() =>
  listen(app, { host: settings.HOST, port: settings.PORT }),
);
logger.info({ url: server.url }, 'Listening');

stopOnSignal(
  [
    { name: 'answer what was asked', run: () => server.drain(), limitMs: 6_000 },
    ...closing,
    { name: 'close the queue', run: () => producer.close() },
    { name: 'close Redis', run: () => closeRedis(redis) },
    { name: 'close Elasticsearch', run: () => elasticsearch.close() },
    { name: 'close MongoDB', run: () => mongo.client.close() },
  ],
  logger,
);
