import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import type { Children } from '../../services/local/children.js';
import { removeDataDir } from '../../services/local/elasticsearchFolder.js';
import { freePort } from '../../services/local/ports.js';
import { createMongo, createRedis, type Mongo } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { urlAt } from '../support/apiProxy.js';
import { startOwnServers, type OwnServer, type OwnServers } from '../support/ownServers.js';
import { PATIENCE_MS, patientElasticsearch } from '../support/patientElasticsearch.js';
import { startRefusingProxy, type RefusingProxy } from './refusingProxy.js';
import { end, startService, type ServiceProcess } from '../support/serviceProcess.js';
import { startToxiproxy, type Proxy } from './toxiproxy.js';

/**
 * A whole archive in which every part can fail: servers of its own, a proxy in front of each, and the services as
 * processes.
 */
export interface Rig {
  url: string;
  namespace: string;
  /** The environment of the services. */
  env: NodeJS.ProcessEnv;
  servers: Record<'mongodb' | 'redis', OwnServer> & { elasticsearch?: OwnServer };
  proxies: Record<'mongodb' | 'redis' | 'elasticsearch', Proxy>;
  refusing: RefusingProxy;
  indexer: Service;
  api: Service;
  /** All services of each kind. `indexer` and `api` are the first of their kind. */
  indexers: Service[];
  apis: { url: string; service: Service }[];
  /** Clients that connect to the servers directly, past the proxies. */
  direct: { mongo: Mongo; redis: Redis; elasticsearch: Client };
  close(): Promise<void>;
}

/** A service that is started again and again. */
export interface Service {
  current(): ServiceProcess;
  /**
   * What its processes have logged about requests that failed without a known reason (500), and about unexpected ends.
   */
  errors(): string[];
  /** Whether a fault is stopping or starting it now. */
  isDisturbed(): boolean;
  /** Ends it by a signal. When `between` is over, starts it again with further settings. Resolves with how it ended. */
  restart(
    signal: 'SIGKILL' | 'SIGTERM',
    more?: NodeJS.ProcessEnv,
    between?: () => Promise<void>,
  ): Promise<string | number>;
}

/**
 * Starts all parts. Elasticsearch is a server of the run's own, so that it can be killed, or the one in the environment.
 * The servers are added to `children`.
 */
export async function startRig(
  namespace: string,
  { ownElasticsearch, children }: { ownElasticsearch: boolean; children?: Children },
): Promise<Rig> {
  const dataDir = await mkdtemp(join(tmpdir(), 'forum-archive-faults-'));
  const wanted = { mongodb: true, redis: true, elasticsearch: ownElasticsearch };
  const own = await startOwnServers(dataDir, wanted, children).catch(async (error: unknown) => {
    await removeDataDir(dataDir);
    throw error;
  });
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.reverse()) await step().catch(() => undefined);
    await own.stop();
    await removeDataDir(dataDir);
  };
  try {
    return { ...(await assemble(namespace, own, closing)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function assemble(
  namespace: string,
  { servers, fetching }: OwnServers,
  closing: (() => Promise<unknown>)[],
): Promise<Omit<Rig, 'close'>> {
  const [mongodb, redis] = [servers.mongodb!, servers.redis!];
  const searchUrl = servers.elasticsearch?.url ?? readSettings().ELASTICSEARCH_URL;
  const mongodbUrl = `mongodb://${hostOf(mongodb.url)}/${namespace}?directConnection=true`;
  const direct = await openDirect({ mongodbUrl, redisUrl: redis.url, searchUrl });
  closing.push(() => closeDirect(direct, namespace));
  const toxiproxy = await startToxiproxy(fetching);
  const proxies = {
    mongodb: await toxiproxy.proxyTo('mongodb', hostOf(mongodb.url)),
    redis: await toxiproxy.proxyTo('redis', hostOf(redis.url)),
    elasticsearch: await toxiproxy.proxyTo('elasticsearch', hostOf(searchUrl)),
  };
  const refusing = await startRefusingProxy(`http://${proxies.elasticsearch.address}`);
  closing.push(() => refusing.close());
  const port = String(await freePort());
  const env = {
    ...process.env,
    // With a direct connection, the driver does not ask for the real addresses of the replica set.
    MONGODB_URL: `mongodb://${proxies.mongodb.address}/${namespace}?directConnection=true`,
    REDIS_URL: urlAt(redis.url, proxies.redis.address),
    ELASTICSEARCH_URL: refusing.url,
    PORT: port,
    DISABLE_AUTH: 'true',
    RATE_LIMIT_DISABLED: 'true',
    LOG_LEVEL: 'warn',
    INDEXER_CONCURRENCY: '16',
  };
  const indexer = await createService('indexer', env, closing);
  const api = await createService('api', env, closing);
  const url = `http://127.0.0.1:${port}`;
  const own = {
    mongodb,
    redis,
    ...(servers.elasticsearch && { elasticsearch: servers.elasticsearch }),
  };
  return {
    url,
    namespace,
    env,
    servers: own,
    proxies,
    refusing,
    indexer,
    api,
    direct,
    indexers: [indexer],
    apis: [{ url, service: api }],
  };
}

/** Starts a service. A step of `closing` kills what still runs of it at the end. */
export async function createService(
  name: 'indexer' | 'api',
  env: NodeJS.ProcessEnv,
  closing: (() => Promise<unknown>)[],
): Promise<Service> {
  // The line by which the service tells that it is ready has the level info.
  const start = (more: NodeJS.ProcessEnv) =>
    startService(name, { ...env, LOG_LEVEL: 'info', ...more });
  let disturbed = 0;
  const ends: string[] = [];
  const watch = (one: ServiceProcess): ServiceProcess => {
    void one.exited.then((end) => {
      const last = one.output().trimEnd().split('\n').slice(-12).join('\n');
      if (disturbed === 0 && end !== 'SIGKILL') ends.push(`It ended with ${end}: ${last}`);
    });
    return one;
  };
  let current = watch(await start({}));
  const started = [current];
  closing.push(() => end(current, 'SIGKILL'));
  return {
    current: () => current,
    errors: () => [
      ...ends,
      ...started
        .flatMap(({ log }) => log.filter(({ msg }) => msg === 'A request failed'))
        .map((line) => JSON.stringify(line)),
    ],
    isDisturbed: () => disturbed > 0,
    async restart(signal, more = {}, between = () => Promise.resolve()) {
      disturbed += 1;
      try {
        const ended = await end(current, signal);
        await between();
        current = watch(await start(more));
        started.push(current);
        return ended;
      } finally {
        disturbed -= 1;
      }
    },
  };
}

/** Opens clients that only faults of the servers themselves can disturb. */
export async function openDirect(urls: {
  mongodbUrl: string;
  redisUrl: string;
  searchUrl: string;
}): Promise<Rig['direct']> {
  const client = createRedis(urls.redisUrl, { timeoutMs: 20_000 });
  client.on('error', () => undefined);
  await client.connect();
  return {
    mongo: createMongo({ MONGODB_URL: urls.mongodbUrl }, { timeoutMs: PATIENCE_MS, poolSize: 5 }),
    redis: client,
    elasticsearch: patientElasticsearch({ ELASTICSEARCH_URL: urls.searchUrl }),
  };
}

/** The servers are removed with their data. Only the search index may be on a server of others. */
async function closeDirect(
  { mongo, redis, elasticsearch }: Rig['direct'],
  namespace: string,
): Promise<void> {
  redis.disconnect();
  await mongo.client.close();
  const found = await elasticsearch.indices.get({ index: `${namespace}-search-*` });
  const names = Object.keys(found);
  if (names.length > 0) await elasticsearch.indices.delete({ index: names });
  await elasticsearch.close();
}

function hostOf(url: string): string {
  return new URL(url.replace(/^mongodb:/, 'http:')).host;
}
