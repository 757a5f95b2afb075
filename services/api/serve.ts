import cluster from 'node:cluster';
import { openMirror } from '../../shared/mirror/openMirror.js';
import { createProducer } from '../../shared/jobs/producer.js';
import { createMongo, createRedis } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { closeRedis } from '../../shared/platform/closeRedis.js';
import type { Settings } from '../../shared/platform/env.js';
import { exitOnWrongSetting } from '../../shared/platform/exitOnWrongSetting.js';
import { logFailures } from '../../shared/platform/logFailures.js';
import type { Logger } from '../../shared/platform/logger.js';
import { stopOnSignal } from '../../shared/platform/shutdown.js';
import { createApi } from './createApi.js';
import { createPeerReader } from './http/credentials/addressReader.js';
import { listen } from './http/listen.js';
import { limitHeap } from './processes/limitHeap.js';
import { connectRedis } from './redis/connectRedis.js';
import { CALL_LIMIT_MS } from './timeLimit.js';

/** Serves the API in this process until a signal stops it. A wrong setting ends the process with exit code 1. */
export async function serve(settings: Settings, logger: Logger): Promise<void> {
  const { REDIS_URL: redisUrl, CACHE_REDIS_URL: cacheUrl = redisUrl } = settings;
  const mongo = await exitOnWrongSetting(() =>
    createMongo(settings, { timeoutMs: CALL_LIMIT_MS, poolSize: 50 }),
  );
  const files = await exitOnWrongSetting(() => openMirror(settings, mongo.namespace));
  const elasticsearch = createElasticsearch(settings, { timeoutMs: CALL_LIMIT_MS });
  const redis = connectRedis(createRedis(cacheUrl, { timeoutMs: 250 }), logger);
  const subscriber = createRedis(redisUrl, { timeoutMs: 250 });
  const producer = createProducer({ redisUrl, namespace: mongo.namespace, timeoutMs: 2_000 });
  logFailures(producer.redis, logger);

  const clients = { mongo, elasticsearch, redis, subscriber, producer, files };
  const isOneOfMany = cluster.isWorker;
  const { app, cache, onRefused, stop } = await exitOnWrongSetting(() =>
    createApi({ settings, logger, ...clients, isOneOfMany }),
  );
  const peerOf = settings.RATE_LIMIT_DISABLED ? undefined : createPeerReader(settings.TRUST_PROXY);
  const server = await exitOnWrongSetting(() =>
    listen(app, { host: settings.HOST, port: settings.PORT, peerOf, onRefused }),
  );
  limitHeap(() => cache.size.bytes);
  logger.info({ url: server.url }, 'Listening');

  stopOnSignal(
    [
      { name: 'answer the requests under way', run: () => server.drain(), limitMs: 6_000 },
      { name: 'stop the background work', run: stop },
      { name: 'close the queue', run: () => producer.close() },
      { name: 'close Redis', run: () => closeRedis(redis) },
      { name: 'close Elasticsearch', run: () => elasticsearch.close() },
      { name: 'close MongoDB', run: () => mongo.client.close() },
    ],
    logger,
  );
}
