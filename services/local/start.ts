import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readSettings, type Settings } from '../../shared/platform/env.js';
import { createChildren, type Children } from './children.js';
import { ensureServers, refuseSecondLauncher, type EnsuredServers } from './ensureServers.js';
import type { Env } from './findExecutable.js';
import { keptSecret } from './keptSecret.js';
import { LaunchError } from './launchError.js';
import { nextSteps } from './nextSteps.js';
import { processId } from './processId.js';
import { secondsSince, type Report } from './report.js';
import { importSampleWhenEmpty } from './sampleArchive.js';
import { makeDataDir, readServersFile, writeServersFile } from './serversFile.js';
import { processesOf } from './spawnGuarded.js';
import { stopLeftovers } from './stopLeftovers.js';
import {
  failWhenEnded,
  startService,
  waitForApi,
  type Service,
  type ServicesContext,
} from './services.js';

/** The options of `npm start`. */
export interface StartOptions {
  /** The project's folder. It holds `sample`, and also `.data` unless DATA_DIR names another folder. */
  root: string;
  dist: string;
  env: Env;
  report: Report;
  watch?: boolean;
  /** Whether the sample is imported where the archive is empty and has no bot (default true). */
  importSample?: boolean;
  /** Aborting it stops everything, at any moment. */
  signal: AbortSignal;
}

/**
 * Runs the servers and the services until the signal is aborted, and then stops them in order. Throws SettingsError
 * before anything is started. Throws LaunchError where something is missing, or ends by itself, after everything else
 * is stopped.
 */
export async function start(options: StartOptions): Promise<void> {
  const children = createChildren();
  const stopped = aborted(options.signal);
  const launch = launchAll(options, children);
  try {
    const launched = await Promise.race([launch, stopped]);
    if (launched !== undefined) await runUntil(stopped, launched);
  } finally {
    await children.stopAll();
    const launched = await launch.catch(() => undefined);
    await launched?.servers.stop();
  }
}

interface Launched {
  servers: EnsuredServers;
  /** The services, in the order in which they are stopped. */
  services: Service[];
}

async function runUntil(stopped: Promise<void>, { servers, services }: Launched): Promise<void> {
  await Promise.race([stopped, failWhenAnyEnds(servers, services)]);
  for (const { child } of services) await child.stop();
  await servers.stop();
}

async function launchAll(options: StartOptions, children: Children): Promise<Launched> {
  const { root, env } = options;
  const settings = readSettings(env);
  const dataDir = resolve(root, settings.DATA_DIR);
  const address = apiAddress(settings);
  await makeDataDir(dataDir);
  return launchIn(dataDir, address, { ...options, children }).catch((error: unknown) => {
    throw explained(error, dataDir);
  });
}

/** Makes a LaunchError of an error of the file system. The disk is full, say, or a file belongs to another user. */
function explained(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new LaunchError(`${error.message}. Data and logs are in ${dataDir}`);
}

async function launchIn(
  dataDir: string,
  address: Address,
  options: StartOptions & { children: Children },
): Promise<Launched> {
  const { env, report, children } = options;
  const began = performance.now();
  await refuseSecondLauncher(dataDir);
  await stopLeftovers(dataDir, report);
  await refuseTakenPort(address);
  const servers = await ensureServers({ dataDir, env, report, children });
  try {
    const services = await launchServices(servers, dataDir, address, options);
    report.line(`Ready in ${secondsSince(began)}`);
    report.line(
      nextSteps({
        apiUrl: address.url,
        servers: serverList(servers),
        logs: join(dataDir, 'logs'),
        environment: whereElse(servers, { env, dataDir }),
      }),
    );
    return { servers, services };
  } catch (error) {
    await children.stopAll();
    await servers.stop();
    throw error;
  }
}

async function launchServices(
  servers: EnsuredServers,
  dataDir: string,
  address: Address,
  options: StartOptions & { children: Children },
): Promise<Service[]> {
  const { dist, env, report, children, watch = false, importSample = true } = options;
  const context: ServicesContext = {
    dist,
    children,
    watch,
    logs: join(dataDir, 'logs'),
    env: await servicesEnv(env, dataDir, address, servers),
  };
  const indexer = startService('The indexer', 'indexer', context);
  const api = startService('The API', 'api', context);
  const becomeReady = async (): Promise<void> => {
    await recordServices(dataDir, address.url, [api, indexer]);
    await waitForApi(api, address.url);
    report.line(`API ready at ${address.url}`);
    // With a bot, an archive belongs to a community, so it gets no sample.
    if (importSample && !env['DISCORD_BOT_TOKEN']) await addSample(context, options);
  };
  // Without a store or the indexer, becomeReady would wait for a long time, or for ever.
  await Promise.race([becomeReady(), failWhenAnyEnds(servers, [api, indexer])]);
  return [api, indexer];
}

/** Imports the sample where the archive is empty. The archive also works without it, so a failure is only reported. */
async function addSample(
  context: ServicesContext,
  { root, report, signal }: StartOptions,
): Promise<void> {
  try {
    const isImported = await importSampleWhenEmpty(context, join(root, 'sample'));
    if (isImported) report.line('Imported the sample archive');
  } catch (error) {
    // A stop also ends the import.
    if (signal.aborted) throw error;
    report.line((error as Error).message);
  }
}

interface Address {
  host: string;
  port: number;
  url: string;
}

function apiAddress({ HOST: host, PORT: port }: Settings): Address {
  if (port === 0) throw new LaunchError('PORT must be a number from 1 to 65535, not 0');
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = everywhere[host] ?? (host.includes(':') ? `[${host}]` : host);
  return { host, port, url: `http://${name}:${port}` };
}

const LAST_PORT = 65_535;

async function refuseTakenPort({ host, port }: Address): Promise<void> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new LaunchError(
      code === 'EADDRINUSE'
        ? `Port ${port} of ${host} is taken by another program. Choose another one: PORT=${port === LAST_PORT ? port - 1 : port + 1} npm start`
        : `Port ${port} of ${host} cannot be listened on: ${message}. Choose another PORT or HOST`,
    );
  } finally {
    server.close();
  }
}

async function servicesEnv(
  env: Env,
  dataDir: string,
  { host, port }: Address,
  servers: EnsuredServers,
): Promise<Env> {
  return {
    ...env,
    ...servers.urls,
    JWT_SECRET: env['JWT_SECRET'] || (await keptSecret(dataDir, 'jwt-secret')),
    HOST: host,
    PORT: String(port),
    // The stores on this machine need the other cores.
    API_PROCESSES: env['API_PROCESSES'] || (servers.areLocal ? '1' : undefined),
    DATA_DIR: dataDir,
  };
}

/**
 * Adds the services to the record of this launcher. Where all stores run elsewhere, there is no such record. There may
 * be one of a launcher that was killed. Another launcher would end the services that stand there.
 */
async function recordServices(dataDir: string, apiUrl: string, services: Service[]): Promise<void> {
  const file = await readServersFile(dataDir);
  if (!isDeepStrictEqual(file.launcher, processId())) return;
  const started = await processesOf(services.map(({ child }) => child));
  const processes = [...(file.processes ?? []), ...started];
  await writeServersFile(dataDir, { ...file, apiUrl, processes });
}

function serverList({ urls }: EnsuredServers): { name: string; url: string }[] {
  return [
    { name: 'MongoDB', url: urls.MONGODB_URL },
    { name: 'Elasticsearch', url: urls.ELASTICSEARCH_URL },
    { name: 'Redis', url: urls.REDIS_URL },
  ];
}

/**
 * The variables that have to be set in another shell, so that the command line finds this archive. `servers.json` names
 * an archive only if this launcher started one of its stores.
 */
function whereElse(
  { areLocal, urls }: EnsuredServers,
  { env, dataDir }: { env: Env; dataDir: string },
): Env {
  // In the project's folder, the command line finds the default data folder by itself.
  if (areLocal) return env['DATA_DIR'] ? { DATA_DIR: dataDir } : {};
  return { ...urls };
}

/** Rejects when a store that was started here or a service ends by itself. */
function failWhenAnyEnds({ crashed }: EnsuredServers, services: Service[]): Promise<never> {
  return Promise.race([crashed, ...services.map(failWhenEnded)]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) settle();
    signal.addEventListener('abort', () => settle(), { once: true });
  });
}
