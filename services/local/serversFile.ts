import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Joi from 'joi';
import { makeFolder } from '../../shared/platform/makeFolder.js';
import { SettingsError } from '../../shared/platform/settingsError.js';
import { LaunchError } from './launchError.js';
import { isReachable } from './ports.js';
import { isRunning, processId, type ProcessId } from './processId.js';

/** Where the three stores answer. */
export interface ServerUrls {
  mongodbUrl: string;
  elasticsearchUrl: string;
  redisUrl: string;
  /** The Redis of the cache, where it is another. It is always given, never started by a launcher. */
  cacheRedisUrl?: string;
}

/** Ports used last in a data folder, taken again when they are free. */
export type Ports = Partial<
  Record<'mongodb' | 'elasticsearch' | 'elasticsearchTransport' | 'redis', number>
>;

/** What DATA_DIR/servers.json holds: the ports used last, and what runs now under which launcher. */
export interface ServersFile {
  ports: Ports;
  launcher?: ProcessId;
  urls?: ServerUrls;
  /** The leaders of the process groups started, so that those of a killed launcher can be found. */
  processes?: ProcessId[];
  apiUrl?: string;
}

/** A launcher that runs in a data folder, and where its servers answer. */
export interface LocalServers extends ServerUrls {
  pid: number;
  apiUrl?: string;
}

const processSchema = Joi.object<ProcessId>({
  pid: Joi.number().integer().required(),
  startedAt: Joi.string().allow('').required(),
});
/** What an earlier version wrote beside this is left as it is. */
const fileSchema = Joi.object<ServersFile>({
  ports: Joi.object().pattern(Joi.string(), Joi.number().port()).default({}),
  launcher: processSchema,
  urls: Joi.object<ServerUrls>({
    mongodbUrl: Joi.string().required(),
    elasticsearchUrl: Joi.string().required(),
    redisUrl: Joi.string().required(),
    cacheRedisUrl: Joi.string(),
  }),
  processes: Joi.array().items(processSchema),
  apiUrl: Joi.string(),
})
  .unknown()
  .required();

const fileIn = (dataDir: string): string => join(dataDir, 'servers.json');
const lockIn = (dataDir: string): string => join(dataDir, 'launcher.lock');

/** Reads DATA_DIR/servers.json; a missing or damaged file reads as one that knows nothing. */
export async function readServersFile(dataDir: string): Promise<ServersFile> {
  try {
    const content: unknown = JSON.parse(await readFile(fileIn(dataDir), 'utf8'));
    return Joi.attempt(content, fileSchema);
  } catch {
    return { ports: {} };
  }
}

/** Replaces DATA_DIR/servers.json in one step; only its owner may read it, since URLs may hold passwords. */
export async function writeServersFile(dataDir: string, content: ServersFile): Promise<void> {
  const temporary = `${fileIn(dataDir)}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, fileIn(dataDir));
}

/**
 * The servers that a running launcher keeps in this data folder, the three stores reachable; else undefined. The
 * archive goes on without its cache, so nobody asks whether that can be reached.
 */
export async function findLocalServers(dataDir: string): Promise<LocalServers | undefined> {
  const { launcher, urls, apiUrl } = await readServersFile(dataDir);
  if (launcher === undefined || urls === undefined || !isRunning(launcher)) return undefined;
  const stores = [urls.mongodbUrl, urls.elasticsearchUrl, urls.redisUrl];
  const reachable = await Promise.all(stores.map(isReachable));
  if (reachable.includes(false)) return undefined;
  return { ...urls, pid: launcher.pid, ...(apiUrl === undefined ? {} : { apiUrl }) };
}

/** Makes the data folder where there is none. Throws SettingsError where that cannot be. */
export async function makeDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch((error: unknown) => {
    throw new SettingsError([`DATA_DIR cannot be used: ${(error as Error).message}`]);
  });
}

/**
 * Makes this process the only launcher of a data folder, and gives what frees it again.
 * The lock of a launcher that no longer runs is taken over; that of a running one is an error naming it.
 */
export async function claimDataDir(dataDir: string): Promise<() => Promise<void>> {
  await makeDataDir(dataDir);
  const lock = lockIn(dataDir);
  const content = JSON.stringify(processId());
  for (;;) {
    if (await createFile(lock, content)) return () => rm(lock, { force: true });
    const holder = await readHolder(lock);
    if (holder !== undefined && isRunning(holder)) {
      throw new LaunchError(
        `Process ${holder.pid} is already starting or stopping the servers in ${dataDir}. Wait until it has done so, or use another folder: DATA_DIR=<folder>`,
      );
    }
    await rm(lock, { force: true });
  }
}

async function createFile(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(lock: string): Promise<ProcessId | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(lock, 'utf8'));
    return Joi.attempt(content, processSchema.required());
  } catch {
    return undefined;
  }
}
