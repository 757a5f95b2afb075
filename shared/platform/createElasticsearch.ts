import { Agent, type ClientRequest, type RequestOptions } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type {
  TransportRequestOptions,
  TransportRequestOptionsWithMeta,
  TransportRequestParams,
} from '@elastic/elasticsearch';
import { Client, ClusterConnectionPool, errors, HttpConnection } from '../drivers/elasticsearch.js';
import type { Settings } from './env.js';
import { withTimeout } from './withTimeout.js';

/** How long after its own limit (ms) a request is given up that has neither ended nor failed. */
const OVERDUE_MS = 2_000;
/** The most connections to one node, as many as the client's default. Further requests wait for one of them. */
const CONNECTIONS = 256;

/**
 * An Elasticsearch client whose every request ends. The client has no request timeout by default (since 9.0), so one is
 * set here. A request that hangs even beyond it fails OVERDUE_MS later. Node's own HTTP agent makes the connections.
 * With the client's default pool (undici 7.30), some requests never ended after connections had been cut in the middle
 * of an answer, and all later ones waited behind them. A ping fails where another kind of server answers, and says with
 * which status.
 */
export function createElasticsearch(
  settings: Pick<Settings, 'ELASTICSEARCH_URL'>,
  { timeoutMs }: { timeoutMs: number },
): Client {
  const nodes = settings.ELASTICSEARCH_URL.split(',');
  // A request that one node does not take is sent to the next one.
  const retries = nodes.length - 1;
  const client = new Client({
    nodes,
    // The default pool keeps asking a node that does not answer, only less often.
    ...(nodes.length > 1 && { ConnectionPool: ClusterConnectionPool }),
    requestTimeout: timeoutMs,
    maxRetries: retries,
    Connection: StrictConnection,
    agent: ({ url }) => cutSilent(url.protocol === 'https:' ? new TlsAgent(KEPT) : new Agent(KEPT)),
  });
  const { transport } = client;
  const request = transport.request.bind(transport);
  transport.request = ((params: TransportRequestParams, options?: TransportRequestOptions) => {
    const limitMs = Number(options?.requestTimeout ?? timeoutMs) * (retries + 1) + OVERDUE_MS;
    return withTimeout(limitMs, () => request(params, options));
  }) as typeof transport.request;
  const ping = (client.ping as Ping).bind(client);
  client.ping = (async (params?: object, given?: TransportRequestOptions) => {
    const { statusCode } = await ping(params, { ...given, meta: true }).catch(tellStatus);
    // The client does not throw for the status 404 or for a redirection. Elasticsearch answers no ping with these.
    if (statusCode !== 200)
      throw new Error(`It answers with ${statusCode}: it is no Elasticsearch`);
    return true;
  }) as typeof client.ping;
  return client;
}

/** A ping whose status is told, too. */
type Ping = (
  params: object | undefined,
  options: TransportRequestOptionsWithMeta,
) => Promise<{ statusCode: number }>;

/**
 * Throws an error again, with its status as the message. An answer to a ping has no body, and then the client's own
 * message does not tell the status.
 */
function tellStatus(error: unknown): never {
  if (error instanceof errors.ResponseError) error.message = `It answers with ${error.statusCode}`;
  throw error;
}

/**
 * A connection whose requests fail where the server does not speak HTTP. Node reports this by the code
 * HPE_INVALID_CONSTANT. It reports the same where a body follows an answer that must have none, and for this case the
 * client ignores the error, which it recognises by the code and the message. Without an answer, the request would then
 * never end, and closing the client would wait for it. So the message is replaced before the client reads it.
 */
class StrictConnection extends HttpConnection {
  constructor(options: ConstructorParameters<typeof HttpConnection>[0]) {
    super(options);
    const make = this.makeRequest as (params: RequestOptions) => ClientRequest;
    this.makeRequest = ((params: RequestOptions) => {
      const request = make(params);
      let isAnswered = false;
      request.once('response', () => (isAnswered = true));
      request.once('error', (error: NodeJS.ErrnoException) => {
        if (!isAnswered && error.code === 'HPE_INVALID_CONSTANT')
          error.message = 'The answer is no HTTP';
      });
      return request;
    }) as typeof this.makeRequest;
  }
}

const KEPT = { keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'lifo' } as const;

/**
 * Makes an agent close a connection where nothing arrives for as long as a request may take. The client's own timeout
 * only lasts until an answer begins. So an answer that stops in the middle would hold its connection for good.
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
