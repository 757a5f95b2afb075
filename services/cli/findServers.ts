import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environment, type Settings } from '../../shared/platform/env.js';
import { findLocalServers } from '../local/serversFile.js';
import { CliError } from './cliError.js';
import { hasStoreUrls, storeUrlsOf, type StoreUrls } from './storeUrls.js';

/** The stores of an archive, and how they were found. */
export interface FoundServers {
  urls: StoreUrls;
  from: string;
  /** Starts an indexer, once; only for servers that were started here. */
  startIndexer?: () => void;
  /** Stops the servers; only for servers that were started here. */
  stop?: () => Promise<void>;
}

/**
 * The servers that the settings name, else those that run in the data folder. Throws SettingsError when only some are
 * named.
 */
export async function findServers(
  settings: Settings,
  dataDir: string,
): Promise<FoundServers | undefined> {
  if (hasStoreUrls(environment())) return { urls: settings, from: 'from MONGODB_URL' };
  const running = await findLocalServers(dataDir);
  return running && { urls: storeUrlsOf(running), from: `run in ${dataDir}` };
}

/** Why there is no archive to work on, and what to do. */
export function noArchive(dataDir: string): CliError {
  return new CliError(
    existsSync(join(dataDir, 'mongodb'))
      ? `The archive in ${dataDir} is not running: run npm start, or set the URLs (MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL)`
      : `No archive found: set DATA_DIR or the URLs (MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL). None is in ${dataDir}`,
  );
}
