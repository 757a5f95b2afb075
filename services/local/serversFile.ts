import {
  access,
  constants,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import Joi from 'joi';
import type { Settings } from '../../shared/platform/env.js';
import { makeFolder } from '../../shared/platform/makeFolder.js';
import { SettingsError } from '../../shared/platform/settingsError.js';
import { LaunchError } from './launchError.js';
import { isReachable } from './ports.js';
import { isRunning, processId, type ProcessId } from './processId.js';

/** The addresses of an archive's three stores, by setting. */
export type StoreUrls = Pick<Settings, 'MONGODB_URL' | 'ELASTICSEARCH_URL' | 'REDIS_URL'>;

/** The ports that were used last in a data folder. They are used again where they are free. */
export type Ports = Partial<
  Record<'mongodb' | 'elasticsearch' | 'elasticsearchTransport' | 'redis', number>
>;

/** The content of DATA_DIR/servers.json: the ports that were used last, and the running launcher with its servers. */
export interface ServersFile {
  ports: Ports;
  launcher?: ProcessId;
  /** A file of an earlier version names them otherwise. */
  urls?: Partial<StoreUrls>;
  /** The leaders of the process groups that were started. By these, the processes of a killed launcher can be found. */
  processes?: ProcessId[];
  apiUrl?: string;
}

/** A launcher that runs in a data folder, and the addresses of its servers. */
export interface LocalServers extends Pick<ServersFile, 'apiUrl'> {
  pid: number;
  urls: StoreUrls;
}

const processSchema = Joi.object<ProcessId>({
  pid: Joi.number().integer().required(),
  startedAt: Joi.string().allow('').required(),
});
/** Other keys are allowed, as an earlier version may have written some. */
const fileSchema = Joi.object<ServersFile>({
  ports: Joi.object().pattern(Joi.string(), Joi.number().port()).default({}),
  launcher: processSchema,
  urls: Joi.object().pattern(Joi.string(), Joi.string()),
  processes: Joi.array().items(processSchema),
  apiUrl: Joi.string(),
})
  .unknown()
  .required();

const fileIn = (dataDir: string): string => join(dataDir, 'servers.json');
const lockIn = (dataDir: string, number: number): string =>
  join(dataDir, `launcher.${number}.lock`);
const LOCK = /^launcher\.(\d+)\.lock$/;

/**
 * Reads DATA_DIR/servers.json. A missing or damaged file counts as an empty one. Throws SettingsError where this user
 * may not read it, because the servers of another user may run there.
 */
export async function readServersFile(dataDir: string): Promise<ServersFile> {
  try {
    const content: unknown = JSON.parse(await readFile(fileIn(dataDir), 'utf8'));
    return Joi.attempt(content, fileSchema);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw unusable(error);
    return { ports: {} };
  }
}

/** Replaces DATA_DIR/servers.json in one step. Only its owner may read it, because URLs may hold passwords. */
export async function writeServersFile(dataDir: string, content: ServersFile): Promise<void> {
  const temporary = `${fileIn(dataDir)}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, fileIn(dataDir));
}

/**
 * The servers of a launcher that runs in this data folder, if all three stores can be reached; else undefined. The
 * cache is not checked, because the archive also works without it.
 */
export async function findLocalServers(dataDir: string): Promise<LocalServers | undefined> {
  const { launcher, urls, apiUrl } = await readServersFile(dataDir);
  if (launcher === undefined || !isRunning(launcher) || !isComplete(urls)) return undefined;
  const stores = [urls.MONGODB_URL, urls.ELASTICSEARCH_URL, urls.REDIS_URL];
  const reachable = await Promise.all(stores.map(isReachable));
  if (reachable.includes(false)) return undefined;
  return { urls, pid: launcher.pid, ...(apiUrl !== undefined && { apiUrl }) };
}

/** Whether all three stores have an address. */
export function isComplete(urls: Partial<StoreUrls> = {}): urls is StoreUrls {
  return Boolean(urls.MONGODB_URL && urls.ELASTICSEARCH_URL && urls.REDIS_URL);
}

/** Makes the data folder where there is none. Throws SettingsError where that fails, or nothing can be written there. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    // Nothing can be written to a folder that cannot be entered.
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): SettingsError {
  return new SettingsError([`DATA_DIR cannot be used: ${(error as Error).message}`]);
}

/**
 * Makes this process the only launcher of a data folder. Resolves with a function that frees the folder again. Throws
 * LaunchError, which names the process, where another launcher runs.
 *
 * Locks are numbered files, and only the lock with the highest number counts. To claim the folder, a launcher creates
 * the lock with the next number. Launchers A and B find lock 5 of a launcher that has ended. A creates lock 6. B tries
 * to create lock 6, too, and fails, because a file of this name is there. But B may stand still before that. Meanwhile
 * A creates lock 7 to free the folder, launcher C creates lock 8, and each of them removes the locks before its own. Now
 * B can create lock 6. B finds lock 8, so B removes lock 6 and begins again.
 */
export async function claimDataDir(dataDir: string): Promise<() => Promise<void>> {
  await makeDataDir(dataDir);
  for (;;) {
    const [last = 0] = await lockNumbers(dataDir);
    const holder = await readHolder(lockIn(dataDir, last));
    if (holder !== undefined && isRunning(holder)) {
      throw new LaunchError(
        `Process ${holder.pid} is already starting or stopping the servers in ${dataDir}. Wait until it has done so, or use another folder: DATA_DIR=<folder>`,
      );
    }
    if (await putLock(dataDir, last + 1, JSON.stringify(processId())))
      return async () => void (await putLock(dataDir, last + 2, 'free'));
  }
}

/**
 * Creates a lock, and then removes all locks but the one with the highest number. Resolves with whether the new lock is
 * that one. A lock is a symbolic link, and its target is `content`. A symbolic link is created together with its target.
 * A regular file is created empty, and another launcher could read it before its text is written.
 */
async function putLock(dataDir: string, number: number, content: string): Promise<boolean> {
  try {
    await symlink(content, lockIn(dataDir, number));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // The disk is full, say.
    throw unusable(error);
  }
  const [last, ...others] = await lockNumbers(dataDir);
  for (const other of others) await rm(lockIn(dataDir, other), { force: true });
  return last === number;
}

/** The numbers of a data folder's locks. The highest comes first. */
async function lockNumbers(dataDir: string): Promise<number[]> {
  const names = await readdir(dataDir);
  const numbers = names.flatMap((name) => LOCK.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => b - a);
}

async function readHolder(lock: string): Promise<ProcessId | undefined> {
  try {
    const content: unknown = JSON.parse(await readlink(lock));
    return Joi.attempt(content, processSchema.required());
  } catch {
    return undefined;
  }
}
