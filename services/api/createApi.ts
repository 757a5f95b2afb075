import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { createBotClient } from '../../shared/discordApi/botClient.js';
import { announcementChannel } from '../../shared/jobs/announcements.js';
import type { QueueProducer } from '../../shared/jobs/producer.js';
import type { MirrorFiles } from '../../shared/mirror/mirrorFiles.js';
import type { Mongo } from '../../shared/platform/clients.js';
import type { Settings } from '../../shared/platform/env.js';
import type { Logger } from '../../shared/platform/logger.js';
import { takesJobs } from '../../shared/jobs/takesJobs.js';
import { registerStores } from '../../shared/platform/metrics.js';
import { createApp } from './app.js';
import { changedTags } from './dependencies.js';
import { createFreshLinks } from '../../shared/discordApi/freshLinks.js';
import { createAuth } from './auth/createAuth.js';
import { createReadMirror } from './files/readMirror.js';
import { createAddressReader } from './http/credentials/addressReader.js';
import { createRateLimits } from './http/credentials/rateLimits.js';
import type { RequestHandler } from './http/listen.js';
import { outcomeBytes, outcomeExpiry, type AnswerCache, type Outcome } from './http/findKept.js';
import { readySizeOf, type ReadyAnswer } from './http/readyAnswers.js';
import { reportRefusals, type Refused } from './http/reportRefusals.js';
import { ResponseCache } from './http/responseCache.js';
import { createApiMetrics } from './metrics/apiMetrics.js';
import { keptCursors } from './paging/cursors.js';
import { followAnnouncements, type Listening } from './redis/followAnnouncements.js';
import { readSynonyms } from './search/synonyms.js';
import { createStatsCache } from './servers/statsCache.js';
import { guardStores } from './stores/guardStores.js';
import { TIME_LIMITS, type TimeLimits } from './timeLimit.js';

/** Clients and settings of an API. The caller first calls `stop` of the API, and then closes the clients. */
export interface ApiClients {
  settings: Settings;
  mongo: Mongo;
  elasticsearch: Client;
  /** The connection to the Redis of the statistics cache and of rate limits. */
  redis: Redis;
  /** The connection to the Redis of the queue that receives announcements. It is closed with the subscription. */
  subscriber: Redis;
  producer: QueueProducer;
  /** The copies of the platform's files; null where there is no mirror. */
  files: MirrorFiles | null;
  logger: Logger;
  /** Whether this process is one of several that a parent process runs. */
  isOneOfMany: boolean;
  /** Only given by tests. */
  timeLimits?: TimeLimits;
}

/** An API that is ready for requests. */
export interface Api {
  app: RequestHandler;
  cache: AnswerCache;
  /** Measures and logs what is refused before it reaches `app`. */
  onRefused: (refused: Refused) => void;
  /** Stops the background work: watching the stores, following announcements, and sharing counts of requests. */
  stop: () => void;
}

/**
 * Makes an API, and begins its background work, which goes on until `stop` is called. Throws SettingsError where the
 * file of SEARCH_SYNONYMS is missing or wrong.
 */
export function createApi(clients: ApiClients): Api {
  const { settings, mongo, elasticsearch, redis, producer, logger } = clients;
  const { timeLimits = TIME_LIMITS } = clients;
  const { namespace } = mongo;
  const cache = new ResponseCache<Outcome, ReadyAnswer>({
    maxBytes: settings.CACHE_MEGABYTES * 1_048_576,
    sizeOf: outcomeBytes,
    readySizeOf,
    expiryOf: outcomeExpiry,
  });
  const limits = settings.RATE_LIMIT_DISABLED
    ? undefined
    : createRateLimits(settings, redis, namespace);
  const metrics = createApiMetrics(cache, clients.isOneOfMany);
  const { observeCall } = metrics;
  const stores = guardStores({
    mongo,
    elasticsearch,
    redis,
    logger,
    observeCall,
    timeLimits,
    queueRedis: producer.redis,
  });
  const cursors = keptCursors(stores.collections);
  const stats = createStatsCache(redis, namespace, {
    onFailure: () => stores.watches.redis.suspect(),
    settlingMs: timeLimits.settlingMs,
  });
  const listening: Listening = {
    drop(changed) {
      cache.invalidate(changedTags(changed));
      stats.drop(changed.statistics ?? []);
    },
    clear() {
      cache.clear();
      cursors.forget();
      stats.dropAll();
    },
    resume() {
      cache.resume();
      cursors.forget();
      stats.dropAll();
    },
    suspend() {
      cache.suspend();
      stats.suspend();
    },
  };
  const channel = announcementChannel(namespace);
  const subscription = followAnnouncements(clients.subscriber, channel, listening, logger);
  registerStores(metrics.registry, stores.watches, () => takesJobs(producer));
  const bot = createBotClient(settings, { redis: producer.redis, namespace });
  const app = createApp({
    ...stores,
    namespace,
    producer,
    cache,
    stats,
    logger,
    readMs: timeLimits.readMs,
    callMs: timeLimits.callMs,
    metrics,
    cursors: cursors.open,
    metricsToken: settings.METRICS_TOKEN,
    corsOrigins: settings.CORS_ORIGINS,
    logAddresses: settings.LOG_ADDRESSES,
    auditReads: settings.AUDIT_READS,
    synonyms: readSynonyms(settings.SEARCH_SYNONYMS),
    freshLinks: bot && createFreshLinks(bot),
    mirror: clients.files && createReadMirror(clients.files, logger),
    cdnUrl: settings.DISCORD_CDN_URL,
    auth: createAuth(settings, stores.collections, logger),
    credentials: {
      disableAuth: settings.DISABLE_AUTH,
      limits,
      addressOf: createAddressReader(settings.TRUST_PROXY),
    },
  });
  const stop = (): void => {
    limits?.stop();
    subscription.stop();
    stores.stop();
  };
  return { app, cache, onRefused: reportRefusals(metrics, logger), stop };
}
