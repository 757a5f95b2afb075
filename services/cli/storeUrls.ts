import { SettingsError } from '../../shared/platform/settingsError.js';

const NAMES = ['MONGODB_URL', 'ELASTICSEARCH_URL', 'REDIS_URL'] as const;

/**
 * Whether the environment names the three stores. Throws SettingsError where it names only some, because the others
 * would then belong to another archive.
 */
export function hasStoreUrls(env: Record<string, string | undefined>): boolean {
  const given = NAMES.filter((name) => env[name]);
  if (given.length === 0 || given.length === NAMES.length) return given.length > 0;
  const missing = NAMES.filter((name) => !env[name]);
  const set = `${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'}`;
  throw new SettingsError(
    missing.map((name) => `${name} is not set, and ${set}: set all three or none`),
  );
}
