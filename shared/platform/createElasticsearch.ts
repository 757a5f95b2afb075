import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import {
  Client,
  HttpConnection,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import type { Settings } from './env.js';
import { withTimeout } from './withTimeout.js';

/** Milliseconds beyond its own limit after which a request is given up that neither ends nor fails. */
const OVERDUE_MS = 2_000;
/** Connections to one node, as many as the client's default; further requests wait for one of them. */
const CONNECTIONS = 256;

/**
 * An Elasticsearch client of which every request ends: 9.x has no request timeout of its own, which this sets, and what
 * is overdue even so fails. It goes over Node's own HTTP agent: in the client's default pool (undici 7.30) requests were
 * seen to wait for ever, and all later ones with them, once connections had been cut in the middle.
 */
export function createElasticsearch(
  settings: Pick<Settings, 'ELASTICSEARCH_URL'>,
  { timeoutMs, maxRetries = 0 }: { timeoutMs: number; maxRetries?: number },
): Client {
  const client = new Client({
    node: settings.ELASTICSEARCH_URL,
    requestTimeout: timeoutMs,
    maxRetries,
    Connection: HttpConnection,
    agent: ({ url }) => cutSilent(url.protocol === 'https:' ? new TlsAgent(KEPT) : new Agent(KEPT)),
  });
  const { transport } = client;
  const request = transport.request.bind(transport);
  transport.request = ((params: TransportRequestParams, options?: TransportRequestOptions) => {
    const limitMs = Number(options?.requestTimeout ?? timeoutMs) * (maxRetries + 1) + OVERDUE_MS;
    return withTimeout(limitMs, () => request(params, options));
  }) as typeof transport.request;
  return client;
}

const KEPT = { keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'lifo' } as const;

/**
 * Has an agent cut a connection that says nothing for as long as its request may take. The client itself stops looking
 * when an answer begins: one that ends in its middle would hold its connection for good.
 */
function cutSilent(agent: Agent): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args);
    socket?.on('timeout', () => socket.destroy());
    return socket;
  };
  return agent;
}
