import type { Settings } from '../../../shared/platform/env.js';
import type { Collections } from '../../../shared/store/collections.js';
import { createIdentify, type Identify } from './identify.js';
import { createPlatform, type Platform } from './platform.js';
import { createPlatformUsers } from './platformUsers.js';
import type { RefreshSettings } from './refreshTokens.js';

/** What logging in needs, once it is configured. */
export interface Logins {
  platform: Platform;
  refresh: RefreshSettings;
  jwtSecret: string;
  accessTokenSeconds: number;
  adminUserIds: ReadonlySet<string>;
}

/** The credentials of a service. */
export interface Auth {
  identify: Identify;
  /** Undefined without JWT_SECRET, DISCORD_CLIENT_ID, DISCORD_CLIENT_SECRET and DISCORD_REDIRECT_URI. */
  logins: Logins | undefined;
}

export type AuthSettings = Pick<
  Settings,
  | 'JWT_SECRET'
  | 'ACCESS_TOKEN_SECONDS'
  | 'REFRESH_TOKEN_SECONDS'
  | 'ADMIN_USER_IDS'
  | 'DISCORD_CLIENT_ID'
  | 'DISCORD_CLIENT_SECRET'
  | 'DISCORD_REDIRECT_URI'
  | 'DISCORD_API_URL'
  | 'DISCORD_AUTHORIZE_URL'
>;

/** The credentials that the settings allow for. */
export function createAuth(
  settings: AuthSettings,
  collections: Pick<Collections, 'apiKeys'>,
): Auth {
  const platform = platformOf(settings);
  const { JWT_SECRET: jwtSecret } = settings;
  return {
    identify: createIdentify({
      collections,
      jwtSecret,
      findUser: platform && createPlatformUsers(platform),
    }),
    logins: platform && jwtSecret ? loginsOf(settings, platform, jwtSecret) : undefined,
  };
}

function loginsOf(settings: AuthSettings, platform: Platform, jwtSecret: string): Logins {
  const ids = settings.ADMIN_USER_IDS.split(',').map((userId) => userId.trim());
  return {
    platform,
    jwtSecret,
    refresh: { secret: jwtSecret, lifeSeconds: settings.REFRESH_TOKEN_SECONDS },
    accessTokenSeconds: settings.ACCESS_TOKEN_SECONDS,
    adminUserIds: new Set(ids.filter(Boolean)),
  };
}

function platformOf(settings: AuthSettings): Platform | undefined {
  const {
    DISCORD_CLIENT_ID: clientId,
    DISCORD_CLIENT_SECRET: clientSecret,
    DISCORD_REDIRECT_URI: redirectUri,
  } = settings;
  if (!clientId || !clientSecret || !redirectUri) return undefined;
  const apiUrl = settings.DISCORD_API_URL.replace(/\/+$/, '');
  const authorizeUrl = settings.DISCORD_AUTHORIZE_URL;
  return createPlatform({ apiUrl, authorizeUrl, clientId, clientSecret, redirectUri });
}
