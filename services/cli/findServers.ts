import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environment, type Settings } from '../../shared/platform/env.js';
import { findLocalServers } from '../local/serversFile.js';
import { DIST } from '../local/services.js';
import { CliError } from './cliError.js';
import type { FoundServers } from './startServers.js';
import { hasStoreUrls } from './storeUrls.js';

/**
 * Finds the servers whose URLs are set. Where no URL is set, finds those that run in DATA_DIR. Where none run there,
 * starts them if `mayStart` is true. Throws SettingsError where only some URLs are set, CliError where there is no
 * archive, and LaunchError where a server does not start.
 */
export async function findServers(
  settings: Settings,
  { mayStart }: { mayStart: boolean },
): Promise<FoundServers> {
  if (hasStoreUrls(environment())) return { urls: settings, from: 'from MONGODB_URL' };
  const dataDir = resolve(DIST, '..', settings.DATA_DIR);
  const running = await findLocalServers(dataDir);
  if (running) return { urls: running.urls, from: `run in ${dataDir}` };
  if (!mayStart) throw noArchive(dataDir);
  const { startServers } = await import('./startServers.js');
  return startServers(dataDir);
}

/** Says that there is no archive to work on, and what to do. */
function noArchive(dataDir: string): CliError {
  return new CliError(
    existsSync(join(dataDir, 'mongodb'))
      ? `The archive in ${dataDir} is not running: run npm start, or set the URLs (MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL)`
      : `No archive found: set DATA_DIR or the URLs (MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL). None is in ${dataDir}`,
  );
}
