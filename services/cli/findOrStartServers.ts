import { resolve } from 'node:path';
import { readSettings } from '../../shared/platform/env.js';
import { DIST } from '../local/services.js';
import { findServers, noArchive, type FoundServers } from './findServers.js';

/**
 * Finds the servers of the three URLs, or else those that run in DATA_DIR. Where none run, it starts them if the
 * command may do so. Throws SettingsError, CliError where there is no archive, and LaunchError.
 */
export async function findOrStartServers({
  mayStart,
}: {
  mayStart: boolean;
}): Promise<FoundServers> {
  const settings = readSettings();
  const dataDir = resolve(DIST, '..', settings.DATA_DIR);
  const found = await findServers(settings, dataDir);
  if (found) return found;
  if (!mayStart) throw noArchive(dataDir);
  const { startServers } = await import('./startServers.js');
  return startServers(dataDir);
}
