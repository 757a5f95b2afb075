import { createIndexer } from '../../services/indexer/createIndexer.js';
import { keepIndexes } from '../../services/indexer/keepIndexes.js';
import { isPassing } from '../../services/indexer/permanentErrors.js';
import { createRedis, createWorkerRedis } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { openWritableMirror } from '../../shared/mirror/openMirror.js';
import { createLogger, type Logger } from '../../shared/platform/logger.js';
import { createProducer } from '../../shared/jobs/producer.js';
import { ensureSearchIndex } from '../../shared/store/searchIndex.js';
import { startApi, type ApiOptions, type ApiServer } from './apiServer.js';
import type { CommandResult } from './runCli.js';
import { runOnHost } from './runOnHost.js';
import { removeSearchAndKeys } from './stores.js';

/** A whole archive over the real servers. Its indexer and its API run in this process. */
export interface TestArchive {
  api: ApiServer;
  /** What the indexer logged as warnings or errors, except that a store did not answer in time. */
  problems: string[];
  /** Runs the command line on this archive. */
  cli(...args: string[]): Promise<CommandResult>;
  /** A JSON answer. Throws unless its status is 200. */
  json<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts an empty archive. */
export async function startArchive(options: ApiOptions = {}): Promise<TestArchive> {
  const settings = readSettings({ ...process.env, ...options.env });
  const api = await startApi(options);
  const { mongo, elasticsearch, mongodbUrl } = api.stores;
  await keepIndexes(mongo, settings);
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  const problems: string[] = [];
  const logger = withoutPassing(
    createLogger('indexer', 'warn', { write: (line) => void problems.push(line) }),
  );
  const redis = createRedis(settings.REDIS_URL, { timeoutMs: 120_000 });
  const queueRedis = createWorkerRedis(settings.REDIS_URL);
  await redis.connect();
  const producer = createProducer({
    redisUrl: settings.REDIS_URL,
    namespace: mongo.namespace,
    timeoutMs: 120_000,
  });
  const indexer = createIndexer({
    producer,
    settings,
    mongo,
    elasticsearch,
    redis,
    queueRedis,
    files: await openWritableMirror(settings, mongo.namespace),
    logger,
  });
  return {
    api,
    problems,
    cli: (...args) => runOnHost({ MONGODB_URL: mongodbUrl }, args),
    async json<T>(path: string) {
      const reply = await api.get(path);
      if (reply.status !== 200)
        throw new Error(`${path} answered ${reply.status}: ${reply.body.toString()}`);
      return reply.json() as T;
    },
    async close() {
      await indexer.stop();
      await producer.close();
      redis.disconnect();
      queueRedis.disconnect();
      await removeSearchAndKeys(api.stores);
      await api.close();
    },
  };
}

/** A logger that leaves out lines about a store that is away or too slow. On a busy machine, any store may be. */
function withoutPassing(logger: Logger): Logger {
  for (const level of ['warn', 'error'] as const) {
    const log: (...given: unknown[]) => void = logger[level].bind(logger);
    logger[level] = (about: unknown, ...more: unknown[]) => {
      const { err } = about as { err?: unknown };
      if (more[0] !== 'A store is away' && !isPassing(err)) log(about, ...more);
    };
  }
  return logger;
}
