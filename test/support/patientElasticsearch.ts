import type { Client } from '@elastic/elasticsearch';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { readSettings, type Settings } from '../../shared/platform/env.js';

/** How long (ms) a store may take: as long as a busy machine takes. */
export const PATIENCE_MS = 120_000;

/**
 * A client that waits for answers as long as a busy machine takes, whatever limit a request names. The same holds for
 * clients that are derived from it. Each request waits for `isReady` first.
 */
export function patientElasticsearch(
  settings: Pick<Settings, 'ELASTICSEARCH_URL'> = readSettings(),
  isReady: () => Promise<void> = () => Promise.resolve(),
): Client {
  return patient(createElasticsearch(settings, { timeoutMs: PATIENCE_MS }), isReady);
}

function patient(client: Client, isReady: () => Promise<void>): Client {
  const { transport } = client;
  const request = transport.request.bind(transport);
  transport.request = (async (...[params, options]: Parameters<typeof request>) => {
    await isReady();
    return request(params, { ...options, requestTimeout: PATIENCE_MS });
  }) as typeof transport.request;
  const child = client.child.bind(client);
  client.child = (options) => patient(child(options), isReady);
  return client;
}
