import { createIndexer } from '../../services/indexer/createIndexer.js';
import { isTransient } from '../../services/indexer/permanentErrors.js';
import { createProducer } from '../../shared/jobs/producer.js';
import { openWritableMirror } from '../../shared/mirror/openMirror.js';
import { createRedis, createWorkerRedis } from '../../shared/platform/clients.js';
import type { Settings } from '../../shared/platform/env.js';
import { createLogger, type Logger } from '../../shared/platform/logger.js';
import type { TestStores } from './stores.js';

/** An indexer in this process. */
export interface RunningIndexer {
  /** What it logged as warnings or errors, except that a store did not answer in time. */
  problems: string[];
  /** Stops it, and closes its own clients. */
  stop(): Promise<void>;
}

/** Runs an indexer in this process. It does not prepare the stores, as a process of its own would. */
export async function runIndexer(
  { mongo, elasticsearch }: Pick<TestStores, 'mongo' | 'elasticsearch'>,
  settings: Settings,
): Promise<RunningIndexer> {
  const problems: string[] = [];
  const logger = withoutTransient(
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
    problems,
    async stop() {
      await indexer.stop();
      await producer.close();
      redis.disconnect();
      queueRedis.disconnect();
    },
  };
}

/** A logger that leaves out lines about a store that is away or too slow. On a busy machine, any store may be. */
function withoutTransient(logger: Logger): Logger {
  for (const level of ['warn', 'error'] as const) {
    const log: (...given: unknown[]) => void = logger[level].bind(logger);
    logger[level] = (about: unknown, ...more: unknown[]) => {
      const { err } = about as { err?: unknown };
      if (more[0] !== 'A store is away' && !isTransient(err)) log(about, ...more);
    };
  }
  return logger;
}
