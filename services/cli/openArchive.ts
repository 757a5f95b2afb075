import { join, resolve } from 'node:path';
import type { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import { createProducer, type Producer, type QueueProducer } from '../../shared/jobs/producer.js';
import { createMongo, type Mongo } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { environment, readSettings, type Settings } from '../../shared/platform/env.js';
import { createChildren } from '../local/children.js';
import { ensureServers } from '../local/ensureServers.js';
import { createReport } from '../local/report.js';
import { findLocalServers, type ServerUrls } from '../local/serversFile.js';
import { DIST } from '../local/services.js';
import { indexerStarter } from './indexerStarter.js';

/** The stores that a command works on. Nothing is connected before it is used. */
export interface Archive {
  mongo: Mongo;
  elasticsearch: ElasticsearchClient;
  producer: Producer;
  /** The producer's queue, for looking at its jobs. */
  queue: QueueProducer['queue'];
  /** Starts an indexer, once, when the servers were started here, so that what is queued is worked on. */
  startIndexer: () => void;
  close(): Promise<void>;
}

const URLS = ['MONGODB_URL', 'ELASTICSEARCH_URL', 'REDIS_URL'] as const;

interface Servers extends Pick<Settings, (typeof URLS)[number]> {
  startIndexer: () => void;
  stop: () => Promise<void>;
}

/**
 * Opens the archive of the environment; with none of the three URLs set, that of the local servers in DATA_DIR, which
 * are started when they do not run. Throws SettingsError or LaunchError.
 */
export async function openArchive(): Promise<Archive> {
  const settings = readSettings();
  const isGiven = URLS.some((name) => environment()[name]);
  const servers = isGiven ? givenServers(settings) : await localServers(settings);
  const mongo = createMongo(servers, { timeoutMs: 10_000, poolSize: 10 });
  const elasticsearch = createElasticsearch(servers, { timeoutMs: 10_000 });
  const producer = createProducer({ redisUrl: servers.REDIS_URL, namespace: mongo.namespace });
  return {
    mongo,
    elasticsearch,
    producer,
    queue: producer.queue,
    startIndexer: servers.startIndexer,
    async close() {
      await Promise.allSettled([producer.close(), elasticsearch.close(), mongo.client.close()]);
      await servers.stop();
    },
  };
}

function givenServers(settings: Settings): Servers {
  return { ...settings, startIndexer: () => undefined, stop: () => Promise.resolve() };
}

async function localServers(settings: Settings): Promise<Servers> {
  const dataDir = resolve(DIST, '..', settings.DATA_DIR);
  const running = await findLocalServers(dataDir);
  return running ? givenServers({ ...settings, ...urlsOf(running) }) : startServers(dataDir);
}

async function startServers(dataDir: string): Promise<Servers> {
  const env = environment();
  const children = createChildren();
  const servers = await ensureServers({
    ...{ dataDir, env, children },
    report: createReport(process.stderr),
  });
  const urls = urlsOf(servers);
  const context = { dist: DIST, children, watch: false, logs: join(dataDir, 'logs') };
  return {
    ...urls,
    startIndexer: indexerStarter({ ...context, env: { ...env, ...urls } }),
    async stop() {
      await children.stopAll();
      await servers.stop();
    },
  };
}

function urlsOf(servers: ServerUrls): Pick<Settings, (typeof URLS)[number]> {
  return {
    MONGODB_URL: servers.mongodbUrl,
    ELASTICSEARCH_URL: servers.elasticsearchUrl,
    REDIS_URL: servers.redisUrl,
  };
}
