import { join, resolve } from 'node:path';
import { cacheFolder } from './cacheFolder.js';
import { createChildren, type Children } from './children.js';
import { startElasticsearch } from './elasticsearch.js';
import type { Env } from './findExecutable.js';
import { hidePassword } from './hidePassword.js';
import { LaunchError } from './launchError.js';
import type { LocalServer, ServerContext } from './localServer.js';
import { startMongodb } from './mongodb.js';
import { freePort } from './ports.js';
import { processesOf } from './spawnGuarded.js';
import { processId } from './processId.js';
import { reportDamaged } from './recoveredIndexes.js';
import { startRedis } from './redis.js';
import { secondsSince, type Report } from './report.js';
import { resolvePrograms, type Programs, type Wanted } from './resolvePrograms.js';
import {
  claimDataDir,
  findLocalServers,
  isComplete,
  readServersFile,
  writeServersFile,
  type Ports,
  type StoreUrls,
} from './serversFile.js';
import { stopLeftovers } from './stopLeftovers.js';
import { crashError } from './waitUntilReady.js';

/** The three servers, ready to be used. */
export interface EnsuredServers {
  urls: StoreUrls;
  /** Whether a launcher has started any of them on this machine. */
  areLocal: boolean;
  /** Rejects when a server that was started here ends by itself. It never settles otherwise. */
  crashed: Promise<never>;
  /** Stops the servers that were started here, and no others. Resolves when they have ended. */
  stop(): Promise<void>;
}

/** Where the servers keep their files, and how they are started. */
export interface EnsureOptions {
  /** The folder for data, logs and servers.json. */
  dataDir: string;
  env: Env;
  report: Report;
  /** The set to which the servers are added as children. By default, it is a new one. */
  children?: Children;
}

/**
 * Finds the URLs of the three servers: from the environment, else from the launcher that runs in the data folder.
 * Otherwise it starts the servers. Throws LaunchError that says what is missing, and what to do.
 */
export async function ensureServers(options: EnsureOptions): Promise<EnsuredServers> {
  const dataDir = resolve(options.dataDir);
  const given = givenUrls(options.env);
  const running = isComplete(given) ? given : (await findLocalServers(dataDir))?.urls;
  if (running !== undefined) {
    return {
      urls: { ...running, ...given },
      areLocal: running !== given,
      crashed: never(),
      stop: () => Promise.resolve(),
    };
  }
  const release = await claimDataDir(dataDir);
  const children = options.children ?? createChildren();
  try {
    return await startMissing(given, { ...options, dataDir, children }, release);
  } catch (error) {
    await children.stopAll();
    await release();
    throw error;
  }
}

const NAMES = ['MONGODB_URL', 'ELASTICSEARCH_URL', 'REDIS_URL'] as const;

function givenUrls(env: Env): Partial<StoreUrls> {
  return Object.fromEntries(NAMES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

const never = (): Promise<never> => new Promise<never>(() => undefined);

async function startMissing(
  given: Partial<StoreUrls>,
  { dataDir, env, report, children }: Required<EnsureOptions>,
  release: () => Promise<void>,
): Promise<EnsuredServers> {
  const logs = join(dataDir, 'logs');
  await stopLeftovers(dataDir, report);
  const wanted: Wanted = {
    mongodb: given.MONGODB_URL === undefined,
    elasticsearch: given.ELASTICSEARCH_URL === undefined,
    redis: given.REDIS_URL === undefined,
  };
  const cache = await cacheFolder(env);
  const programs = await resolvePrograms(wanted, { env, cache, logs, children, report });
  const ports = await choosePorts((await readServersFile(dataDir)).ports);
  const context: ServerContext = { env, dataDir, logs, children };
  const { mongodb, elasticsearch, redis } = await startAll(programs, ports, context, report);
  const urls = {
    ...given,
    ...(mongodb && { MONGODB_URL: mongodb.url }),
    ...(elasticsearch && { ELASTICSEARCH_URL: elasticsearch.url }),
    ...(redis && { REDIS_URL: redis.url }),
  } as StoreUrls;
  if (elasticsearch) await reportDamaged(urls, report);
  const servers = [mongodb, elasticsearch, redis].filter((server) => server !== undefined);
  const processes = await processesOf(servers.map(({ child }) => child));
  await writeServersFile(dataDir, { ports, urls, launcher: processId(), processes });
  return {
    urls,
    areLocal: true,
    ...supervise(servers, async () => {
      await writeServersFile(dataDir, { ports });
      await release();
    }),
  };
}

async function choosePorts(last: Ports): Promise<Required<Ports>> {
  const names = ['mongodb', 'elasticsearch', 'elasticsearchTransport', 'redis'] as const;
  const chosen = await Promise.all(names.map(async (name) => [name, await freePort(last[name])]));
  return Object.fromEntries(chosen) as Required<Ports>;
}

type Started = Partial<Record<keyof Programs, LocalServer>>;

async function startAll(
  programs: Programs,
  ports: Required<Ports>,
  context: ServerContext,
  report: Report,
): Promise<Started> {
  const { mongodb, elasticsearch, redis } = programs;
  const node = { http: ports.elasticsearch, transport: ports.elasticsearchTransport };
  const [a, b, c] = await Promise.all([
    mongodb && reported(report, startMongodb(mongodb, ports.mongodb, context)),
    elasticsearch && reported(report, startElasticsearch(elasticsearch, node, context)),
    redis && reported(report, startRedis(redis, ports.redis, context)),
  ]);
  return { ...(a && { mongodb: a }), ...(b && { elasticsearch: b }), ...(c && { redis: c }) };
}

/** Resolves with the server, once the report says that it is ready. */
async function reported(report: Report, starting: Promise<LocalServer>): Promise<LocalServer> {
  const start = performance.now();
  const server = await starting;
  report.line(`${server.name} ready in ${secondsSince(start)}: ${hidePassword(server.url)}`);
  return server;
}

function supervise(
  servers: LocalServer[],
  afterStop: () => Promise<void>,
): Pick<EnsuredServers, 'crashed' | 'stop'> {
  let stopping: Promise<void> | undefined;
  const crashed = Promise.race([
    never(),
    ...servers.map(async ({ name, child }) => {
      const code = await child.exited;
      return stopping === undefined ? Promise.reject(await crashError(name, child, code)) : never();
    }),
  ]);
  // Where nobody uses this promise, its rejection must not end the process.
  crashed.catch(() => undefined);
  const stopAll = async (): Promise<void> => {
    await Promise.all(servers.map(({ child }) => child.stop()));
    await afterStop();
  };
  return { crashed, stop: () => (stopping ??= stopAll()) };
}

/** Throws LaunchError where a launcher already runs in the data folder. The message holds the URLs of its servers. */
export async function refuseSecondLauncher(dataDir: string): Promise<void> {
  const running = await findLocalServers(resolve(dataDir));
  if (running === undefined) return;
  const { MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL } = running.urls;
  const urls = [running.apiUrl, MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL];
  const lines = urls.filter((url) => url !== undefined).map((url) => `  ${hidePassword(url)}`);
  throw new LaunchError(
    [
      `Process ${running.pid} already runs the servers in ${dataDir}:`,
      ...lines,
      'Stop it first, or start this one in another folder: DATA_DIR=<folder> PORT=<port> npm start',
    ].join('\n'),
  );
}
