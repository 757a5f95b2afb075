import type { Settings } from '../../shared/platform/env.js';
import { SettingsError } from '../../shared/platform/settingsError.js';
import type { ServerUrls } from '../local/serversFile.js';

const NAMES = ['MONGODB_URL', 'ELASTICSEARCH_URL', 'REDIS_URL'] as const;

/** The addresses of an archive's three stores, and of the cache's Redis where that is a different one, by setting. */
export type StoreUrls = Pick<Settings, (typeof NAMES)[number] | 'CACHE_REDIS_URL'>;

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

/** The addresses of local servers, by setting. */
export function storeUrlsOf(servers: ServerUrls): StoreUrls {
  return {
    MONGODB_URL: servers.mongodbUrl,
    ELASTICSEARCH_URL: servers.elasticsearchUrl,
    REDIS_URL: servers.redisUrl,
    ...(servers.cacheRedisUrl === undefined ? {} : { CACHE_REDIS_URL: servers.cacheRedisUrl }),
  };
}
