import type { Client } from '@elastic/elasticsearch';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { readSettings, type Settings } from '../../shared/platform/env.js';

/** How long (ms) a store may take: as long as a busy machine takes. */
export const PATIENCE_MS = 120_000;

/**
 * A client that waits for answers as long as a busy machine takes, whatever limit a request names. The same holds for
 * clients that are derived from it.
 */
export function patientElasticsearch(
  settings: Pick<Settings, 'ELASTICSEARCH_URL'> = readSettings(),
): Client {
  return patient(createElasticsearch(settings, { timeoutMs: PATIENCE_MS }));
}

function patient(client: Client): Client {
  const { transport } = client;
  const request = transport.request.bind(transport);
  transport.request = ((...[params, options]: Parameters<typeof request>) =>
    request(params, { ...options, requestTimeout: PATIENCE_MS })) as typeof transport.request;
  const child = client.child.bind(client);
  client.child = (options) => patient(child(options));
  return client;
}
