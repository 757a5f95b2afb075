import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environment, type Settings } from '../../shared/platform/env.js';
import { findLocalServers } from '../local/serversFile.js';
import { CliError } from './cliError.js';
import { hasStoreUrls, storeUrlsOf, type StoreUrls } from './storeUrls.js';

/** The stores of an archive, with what the command can do if it started them. */
export interface FoundServers {
  urls: StoreUrls;
  from: string;
  /** Starts an indexer, once. Set only where this command started the servers. */
  startIndexer?: () => void;
  /** Rejects when a server or the indexer ends by itself. Set only where this command started them. */
  crashed?: Promise<never>;
  /** Stops the servers. Set only where this command started them. */
  stop?: () => Promise<void>;
}

/**
 * Finds the servers that the settings name, or else those that run in the data folder. Throws SettingsError where the
 * settings name only some.
 */
export async function findServers(
  settings: Settings,
  dataDir: string,
): Promise<FoundServers | undefined> {
  if (hasStoreUrls(environment())) return { urls: settings, from: 'from MONGODB_URL' };
  const running = await findLocalServers(dataDir);
  return running && { urls: storeUrlsOf(running), from: `run in ${dataDir}` };
}

/** Says that there is no archive to work on, and what to do. */
export function noArchive(dataDir: string): CliError {
  return new CliError(
    existsSync(join(dataDir, 'mongodb'))
      ? `The archive in ${dataDir} is not running: run npm start, or set the URLs (MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL)`
      : `No archive found: set DATA_DIR or the URLs (MONGODB_URL, ELASTICSEARCH_URL, REDIS_URL). None is in ${dataDir}`,
  );
}
