import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../../services/local/cacheFolder.js';
import type { Children } from '../../../services/local/children.js';
import { removeDataDir } from '../../../services/local/elasticsearchFolder.js';
import { freePort } from '../../../services/local/ports.js';
import { startRedis } from '../../../services/local/redis.js';
import { resolvePrograms } from '../../../services/local/resolvePrograms.js';
import { ownServer, stopAll, type OwnServer } from '../../support/ownServers.js';
import { createService, openDirect, type Rig, type Service } from '../rig.js';
import { startReplicaSet, type ReplicaSet } from './replicaSet.js';
import { startSearchCluster, type SearchCluster } from './searchCluster.js';

const NAMESPACE = 'scale';
const APIS = 3;
const INDEXERS = 2;

/** An archive on several members of each engine, with several processes of each service. */
export interface ScaleRig extends Pick<Rig, 'direct' | 'apis' | 'indexers'> {
  replicaSet: ReplicaSet;
  search: SearchCluster;
  servers: { redis: OwnServer };
  close(): Promise<void>;
}

/**
 * Starts a replica set of three, a search cluster of two nodes, a Redis, two indexers and three APIs. The servers are
 * added to `children`.
 */
export async function startScaleRig(children: Children): Promise<ScaleRig> {
  const dataDir = await mkdtemp(join(tmpdir(), 'forum-archive-scale-'));
  const closing: (() => Promise<unknown>)[] = [];
  const servers: OwnServer[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.reverse()) await step().catch(() => undefined);
    await stopAll(servers, children);
    for (const name of ['node-0', 'node-1', '']) await removeDataDir(join(dataDir, name));
  };
  try {
    const env = { ...process.env, LOCAL_ES_HEAP: '384m' };
    const logs = join(dataDir, 'logs');
    const report = { line: () => undefined, progress: () => undefined };
    const programs = await resolvePrograms(
      { mongodb: true, elasticsearch: true, redis: true },
      { env, cache: await cacheFolder(env), logs, children, report },
    );
    const context = { env, dataDir, logs, children };
    const redisPort = await freePort();
    const replicaSet = await startReplicaSet(programs.mongodb!, context);
    servers.push(...replicaSet.members);
    const redis = await ownServer(() => startRedis(programs.redis!, redisPort, context));
    servers.push(redis);
    const search = await startSearchCluster(programs.elasticsearch!, context);
    servers.push(...search.nodes);
    const urls = {
      mongodbUrl: `mongodb://${replicaSet.hosts}/${NAMESPACE}?replicaSet=rs0`,
      redisUrl: redis.url,
      searchUrl: search.urls,
    };
    const direct = await openDirect(urls);
    closing.push(async () => {
      direct.redis.disconnect();
      await direct.mongo.client.close();
      await direct.elasticsearch.close();
    });
    return {
      replicaSet,
      search,
      servers: { redis },
      direct,
      close,
      ...(await startServices(urls, closing)),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startServices(
  urls: { mongodbUrl: string; redisUrl: string; searchUrl: string },
  closing: (() => Promise<unknown>)[],
): Promise<Pick<ScaleRig, 'apis' | 'indexers'>> {
  const env = {
    ...process.env,
    MONGODB_URL: urls.mongodbUrl,
    REDIS_URL: urls.redisUrl,
    ELASTICSEARCH_URL: urls.searchUrl,
    DISABLE_AUTH: 'true',
    RATE_LIMIT_DISABLED: 'true',
    INDEXER_CONCURRENCY: '8',
  };
  const indexers: Service[] = [];
  while (indexers.length < INDEXERS) indexers.push(await createService('indexer', env, closing));
  const apis: ScaleRig['apis'] = [];
  while (apis.length < APIS) {
    const port = String(await freePort());
    const service = await createService('api', { ...env, PORT: port }, closing);
    apis.push({ url: `http://127.0.0.1:${port}`, service });
  }
  return { apis, indexers };
}
