import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { TransportRequestOptions, TransportRequestParams } from '@elastic/elasticsearch';
import { Client, ClusterConnectionPool, HttpConnection } from '../drivers/elasticsearch.js';
import type { Settings } from './env.js';
import { withTimeout } from './withTimeout.js';

/** A request that neither ends nor fails is given up this long (ms) after its own limit. */
const OVERDUE_MS = 2_000;
/** Connections to one node, as many as the client's default; further requests wait for one of them. */
const CONNECTIONS = 256;

/**
 * An Elasticsearch client whose every request ends. The client has no request timeout by default (since 9.0), so this
 * sets one. A request that still hangs after it fails a little later. Connections are made by Node's own HTTP agent.
 * With the client's default pool (undici 7.30), after connections had been cut in the middle of an answer, some
 * requests never ended, and all later ones waited behind them. A ping fails where another server answers.
 */
export function createElasticsearch(
  settings: Pick<Settings, 'ELASTICSEARCH_URL'>,
  { timeoutMs, maxRetries = 0 }: { timeoutMs: number; maxRetries?: number },
): Client {
  const nodes = settings.ELASTICSEARCH_URL.split(',');
  // What a node cannot be sent is sent to the next one.
  const retries = Math.max(maxRetries, nodes.length - 1);
  const client = new Client({
    nodes,
    // The default pool goes on asking a node that does not answer, if less often.
    ...(nodes.length > 1 && { ConnectionPool: ClusterConnectionPool }),
    requestTimeout: timeoutMs,
    maxRetries: retries,
    Connection: HttpConnection,
    agent: ({ url }) => cutSilent(url.protocol === 'https:' ? new TlsAgent(KEPT) : new Agent(KEPT)),
  });
  const { transport } = client;
  const request = transport.request.bind(transport);
  transport.request = ((params: TransportRequestParams, options?: TransportRequestOptions) => {
    const limitMs = Number(options?.requestTimeout ?? timeoutMs) * (retries + 1) + OVERDUE_MS;
    return withTimeout(limitMs, () => request(params, options));
  }) as typeof transport.request;
  const ping = client.ping.bind(client);
  client.ping = (async (...given: Parameters<typeof ping>) => {
    // The client gives false for the status 404, by which no Elasticsearch answers this.
    if (!(await ping(...given))) throw new Error('It answers with 404: it is no Elasticsearch');
    return true;
  }) as typeof client.ping;
  return client;
}

const KEPT = { keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'lifo' } as const;

/**
 * Has an agent close a connection on which nothing arrives for as long as its request may take. The client's own
 * timeout ends when an answer begins. An answer that stops in its middle would otherwise hold its connection for good.
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
