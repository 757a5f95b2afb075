import type { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import { createProducer, type QueueProducer } from '../../shared/jobs/producer.js';
import { createMongo, type Mongo } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { hidePassword } from '../local/hidePassword.js';
import { safeText } from './safeText.js';
import type { FoundServers } from './startServers.js';

/** The stores that a command works on. Each connects when it is first used. */
export interface Archive {
  mongo: Mongo;
  elasticsearch: ElasticsearchClient;
  producer: QueueProducer;
  /** A line that names the archive, without passwords. */
  shown: string;
  /** Starts an indexer when the servers were started here. It works on what this command files. */
  startIndexer: () => void;
  /** Rejects when a server or the indexer ends by itself that was started here. Undefined where none was. */
  crashed?: Promise<never> | undefined;
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
    shown: safeText(`Archive: ${namespace} at ${hidePassword(urls.MONGODB_URL)} (${from})`),
    startIndexer: () => found.startIndexer?.(),
    crashed: found.crashed,
    async close() {
      await Promise.allSettled([producer.close(), elasticsearch.close(), mongo.client.close()]);
      await found.stop?.();
    },
  };
}
