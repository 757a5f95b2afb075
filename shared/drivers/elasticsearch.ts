import { createRequire } from 'node:module';
import type * as Driver from '@elastic/elasticsearch';

/**
 * Elasticsearch's client by `require`. An `import` first reads its 700 modules for what they export: about 0.2 s of
 * processor time at every start.
 */
export const { Client, ClusterConnectionPool, HttpConnection, SniffingTransport, errors } =
  createRequire(import.meta.url)('@elastic/elasticsearch') as typeof Driver;
export type Client = Driver.Client;
