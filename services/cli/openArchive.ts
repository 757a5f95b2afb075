import { resolve } from 'node:path';
import type { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import { createProducer, type Producer, type QueueProducer } from '../../shared/jobs/producer.js';
import { createMongo, type Mongo } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../shared/platform/env.js';
import { hidePassword } from '../local/hidePassword.js';
import { DIST } from '../local/services.js';
import { findServers, noArchive, type FoundServers } from './findServers.js';
import { safeText } from './safeText.js';

/** The stores that a command works on. Nothing is connected before it is used. */
export interface Archive {
  mongo: Mongo;
  elasticsearch: ElasticsearchClient;
  producer: Producer;
  /** The producer's queue, for looking at its jobs. */
  queue: QueueProducer['queue'];
  /** A line that says which archive it is, without passwords. */
  shown: string;
  /** Starts an indexer, once, when the servers were started here. It works on what this command files. */
  startIndexer: () => void;
  close(): Promise<void>;
}

/**
 * Opens the archive of the three URLs, else that of the servers that run in DATA_DIR. Where none run, they are started
 * if the command may do so. Throws SettingsError, CliError where there is no archive, or LaunchError.
 */
export async function openArchive({ mayStart }: { mayStart: boolean }): Promise<Archive> {
  const settings = readSettings();
  const dataDir = resolve(DIST, '..', settings.DATA_DIR);
  const found = (await findServers(settings, dataDir)) ?? (await started(dataDir, mayStart));
  const { urls, from } = found;
  const mongo = createMongo(urls, { timeoutMs: 10_000, poolSize: 10 });
  const { namespace } = mongo;
  const elasticsearch = createElasticsearch(urls, { timeoutMs: 10_000 });
  const producer = createProducer({ redisUrl: urls.REDIS_URL, namespace });
  return {
    mongo,
    elasticsearch,
    producer,
    queue: producer.queue,
    shown: safeText(`Archive: ${namespace} at ${hidePassword(urls.MONGODB_URL)} (${from})`),
    startIndexer: () => found.startIndexer?.(),
    async close() {
      await Promise.allSettled([producer.close(), elasticsearch.close(), mongo.client.close()]);
      await found.stop?.();
    },
  };
}

async function started(dataDir: string, mayStart: boolean): Promise<FoundServers> {
  if (!mayStart) throw noArchive(dataDir);
  const { startServers } = await import('./startServers.js');
  return startServers(dataDir);
}
