import { createIndexer } from '../../services/indexer/createIndexer.js';
import { createRedis, createWorkerRedis } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { openWritableMirror } from '../../shared/mirror/openMirror.js';
import { createLogger } from '../../shared/platform/logger.js';
import { createProducer } from '../../shared/jobs/producer.js';
import { ensureSearchIndex } from '../../shared/store/searchIndex.js';
import { startApi, type ApiOptions, type ApiServer } from './apiServer.js';
import type { CommandResult } from './runCli.js';
import { runOnHost } from './runOnHost.js';
import { removeSearchAndKeys } from './stores.js';

/** A whole archive of its own over the real servers: the indexer and the API in this process. */
export interface TestArchive {
  api: ApiServer;
  /** Lines that the indexer logged as warnings or errors. */
  problems: string[];
  /** Runs the command line on this archive. */
  cli(...args: string[]): Promise<CommandResult>;
  /** A JSON answer; throws unless it is 200. */
  json<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts an archive with nothing in it. */
export async function startArchive(options: ApiOptions = {}): Promise<TestArchive> {
  const settings = readSettings({ ...process.env, ...options.env });
  const api = await startApi(options);
  const { mongo, elasticsearch, mongodbUrl } = api.stores;
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  const problems: string[] = [];
  const logger = createLogger('indexer', 'warn', { write: (line) => void problems.push(line) });
  const redis = createRedis(settings.REDIS_URL, { timeoutMs: 120_000 });
  const queueRedis = createWorkerRedis(settings.REDIS_URL);
  await redis.connect();
  const producer = createProducer({
    redisUrl: settings.REDIS_URL,
    namespace: mongo.namespace,
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
