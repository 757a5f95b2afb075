import type { Settings } from '../../../shared/platform/env.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Collections } from '../../../shared/store/collections.js';
import { processCount } from '../processes/processCount.js';
import { createIdentify, type Identify } from './identify.js';
import { createPlatform, type Platform } from './platform.js';
import { createPlatformUsers } from './platformUsers.js';
import type { RefreshSettings } from './refreshTokens.js';
import type { ServiceTokenSettings } from './serviceTokenChecker.js';

/** What is needed to log users in. */
export interface Logins extends ServiceTokenSettings, RefreshSettings {
  platform: Platform;
  /** The lifetime of a service token of any other user (seconds). */
  accessTokenSeconds: number;
  /** The lifetime of a service token of a user in `adminUserIds` (seconds). */
  adminTokenSeconds: number;
}

/** Checks credentials, and holds what is needed to log users in. */
export interface Auth {
  identify: Identify;
  /** Undefined without JWT_SECRET, DISCORD_CLIENT_ID, DISCORD_CLIENT_SECRET and DISCORD_REDIRECT_URI. */
  logins: Logins | undefined;
}

export type AuthSettings = Pick<
  Settings,
  | 'JWT_SECRET'
  | 'ACCESS_TOKEN_SECONDS'
  | 'ADMIN_TOKEN_SECONDS'
  | 'REFRESH_TOKEN_SECONDS'
  | 'ADMIN_USER_IDS'
  | 'API_PROCESSES'
  | 'DISCORD_CLIENT_ID'
  | 'DISCORD_CLIENT_SECRET'
  | 'DISCORD_REDIRECT_URI'
  | 'DISCORD_API_URL'
  | 'DISCORD_AUTHORIZE_URL'
>;

/** Makes the check of credentials. Where all settings for it are given, also makes what is needed to log users in. */
export function createAuth(
  settings: AuthSettings,
  collections: Pick<Collections, 'apiKeys' | 'refreshTokens'>,
  logger: Logger,
): Auth {
  const platform = platformOf(settings, logger);
  const { JWT_SECRET: jwtSecret } = settings;
  const serviceTokens = jwtSecret ? { jwtSecret, adminUserIds: adminsOf(settings) } : undefined;
  return {
    identify: createIdentify({
      collections,
      serviceTokens,
      findUser: platform && createPlatformUsers(platform, processCount(settings)),
    }),
    logins: platform && serviceTokens && loginsOf(settings, platform, serviceTokens),
  };
}

function loginsOf(
  settings: AuthSettings,
  platform: Platform,
  serviceTokens: ServiceTokenSettings,
): Logins {
  const refreshTokenSeconds = settings.REFRESH_TOKEN_SECONDS;
  return {
    platform,
    ...serviceTokens,
    refreshTokenSeconds,
    accessTokenSeconds: settings.ACCESS_TOKEN_SECONDS,
    // A service token ends with its login, so it must not last longer.
    adminTokenSeconds: Math.min(settings.ADMIN_TOKEN_SECONDS, refreshTokenSeconds),
  };
}

function adminsOf({ ADMIN_USER_IDS: ids }: AuthSettings): ReadonlySet<string> {
  return new Set(ids.split(',').map((userId) => userId.trim()));
}

function platformOf(settings: AuthSettings, logger: Logger): Platform | undefined {
  const {
    DISCORD_CLIENT_ID: clientId,
    DISCORD_CLIENT_SECRET: clientSecret,
    DISCORD_REDIRECT_URI: redirectUri,
  } = settings;
  if (!clientId || !clientSecret || !redirectUri) return undefined;
  const apiUrl = settings.DISCORD_API_URL;
  const authorizeUrl = settings.DISCORD_AUTHORIZE_URL;
  const oauth = { apiUrl, authorizeUrl, clientId, clientSecret, redirectUri };
  return createPlatform(oauth, logger);
}
