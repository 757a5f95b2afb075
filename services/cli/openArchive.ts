import type { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import { createProducer, type Producer, type QueueProducer } from '../../shared/jobs/producer.js';
import { createMongo, type Mongo } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { hidePassword } from '../local/hidePassword.js';
import type { FoundServers } from './findServers.js';
import { safeText } from './safeText.js';

/** The stores that a command works on. Nothing is connected before it is used. */
export interface Archive {
  mongo: Mongo;
  elasticsearch: ElasticsearchClient;
  producer: Producer;
  /** The producer's queue, for looking at its jobs. */
  queue: QueueProducer['queue'];
  /** The queue's connection. */
  redis: QueueProducer['redis'];
  /** A line that says which archive it is, without passwords. */
  shown: string;
  /** Starts an indexer, once, when the servers were started here. It works on what this command files. */
  startIndexer: () => void;
  close(): Promise<void>;
}

/** Opens the archive of servers that were found. Throws SettingsError for a URL that cannot be used. */
export function openArchive(found: FoundServers): Archive {
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
    redis: producer.redis,
    shown: safeText(`Archive: ${namespace} at ${hidePassword(urls.MONGODB_URL)} (${from})`),
    startIndexer: () => found.startIndexer?.(),
    async close() {
      await Promise.allSettled([producer.close(), elasticsearch.close(), mongo.client.close()]);
      await found.stop?.();
    },
  };
}
