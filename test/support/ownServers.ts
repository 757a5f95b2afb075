import { join } from 'node:path';
import { cacheFolder } from '../../services/local/cacheFolder.js';
import { createChildren, type Children } from '../../services/local/children.js';
import { startElasticsearch } from '../../services/local/elasticsearch.js';
import type { FetchContext } from '../../services/local/fetchArtifact.js';
import type { LocalServer, ServerContext } from '../../services/local/localServer.js';
import { startMongodb } from '../../services/local/mongodb.js';
import { freePort } from '../../services/local/ports.js';
import { startRedis } from '../../services/local/redis.js';
import { resolvePrograms, type Wanted } from '../../services/local/resolvePrograms.js';

/** A server that a test may take away and bring back. */
export interface OwnServer {
  url: string;
  /** Makes it silent. It is alive, and its port is open. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills it, so its port is closed. Does nothing where it is gone already. */
  kill(): Promise<void>;
  /**
   * Starts it again at the same address with what it had stored, and resolves when it is ready. Does nothing where it
   * was not killed.
   */
  restart(): Promise<void>;
}

export type ServerName = keyof Wanted;

/** Servers that belong to one test, in a folder of their own. */
export interface OwnServers {
  servers: Partial<Record<ServerName, OwnServer>>;
  /** For downloads of further programs. These end together with the servers. */
  fetching: FetchContext;
  stop(): Promise<void>;
}

/**
 * Starts some of the three servers among `children`, with their data in a folder. The caller removes the folder.
 */
export async function startOwnServers(
  dataDir: string,
  wanted: Wanted,
  children = createChildren(),
): Promise<OwnServers> {
  // It is a hundred megabytes less than on a laptop, because these servers hold little.
  const env = { ...process.env, LOCAL_ES_HEAP: '384m' };
  const logs = join(dataDir, 'logs');
  const report = { line: () => undefined, progress: () => undefined };
  const fetching = { env, cache: await cacheFolder(env), logs, children, report };
  const programs = await resolvePrograms(wanted, fetching);
  const context: ServerContext = { env, dataDir, logs, children };
  const ports = { http: await freePort(), transport: await freePort() };
  const [mongodbPort, redisPort] = [await freePort(), await freePort()];
  const { mongodb, redis, elasticsearch } = programs;
  const starts: Partial<Record<ServerName, () => Promise<LocalServer>>> = {
    ...(mongodb && { mongodb: () => startMongodb(mongodb, mongodbPort, context) }),
    ...(redis && { redis: () => startRedis(redis, redisPort, context) }),
    ...(elasticsearch && {
      elasticsearch: () => startElasticsearch(elasticsearch, ports, context),
    }),
  };
  const entries = await Promise.all(
    Object.entries(starts).map(async ([name, start]) => [name, await ownServer(start)] as const),
  ).catch(async (error: unknown) => {
    await children.stopAll();
    throw error;
  });
  const servers = Object.fromEntries(entries) as OwnServers['servers'];
  return { servers, fetching, stop: () => stopAll(Object.values(servers), children) };
}

/** Makes a server that can be taken away from one that can be started again. */
export async function ownServer(start: () => Promise<LocalServer>): Promise<OwnServer> {
  let running = await start();
  let isGone = false;
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    const pid = await running.child.pid;
    if (pid === undefined || isGone) return;
    try {
      // The signal goes to the whole group, because Elasticsearch is a child of its launcher.
      process.kill(-pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  return {
    url: running.url,
    async kill() {
      await signal('SIGKILL');
      await running.child.exited;
      isGone = true;
    },
    async restart() {
      if (!isGone) return;
      running = await start();
      isGone = false;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

/** Stops servers. A frozen process cannot notice that it is to stop, so it is thawed first. */
export async function stopAll(servers: OwnServer[], children: Children): Promise<void> {
  await Promise.all(servers.map((server) => server.thaw().catch(() => undefined)));
  await children.stopAll();
}
