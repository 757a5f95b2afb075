import jwt from 'jsonwebtoken';
import { createApiKey } from '../../shared/store/apiKeys.js';
import type { Scope } from '../../shared/contract/auth.js';
import { startApi, type ApiServer } from './apiServer.js';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  REDIRECT_URI,
  startPlatform,
  type PlatformDouble,
} from './platformDouble.js';

export const JWT_SECRET = 'planted-jwt-secret-of-more-than-32-characters';
export const ADMIN_ID = '900000000000000001';
export const USER_ID = '900000000000000002';

/** The API with everything that logging in needs, and a platform of its own. */
export interface AuthServer extends ApiServer {
  platform: PlatformDouble;
  /** A new API key of a level. */
  key(level: Scope, expiresAt?: Date | null): Promise<string>;
}

/** Starts the API with logins configured; `env` replaces single settings. */
export async function startAuth(env: Record<string, string> = {}): Promise<AuthServer> {
  const platform = await startPlatform();
  const api = await startApi({
    env: {
      ...{ JWT_SECRET, ADMIN_USER_IDS: `7, ${ADMIN_ID}`, DISCORD_API_URL: platform.url },
      ...{ DISCORD_CLIENT_ID: CLIENT_ID, DISCORD_CLIENT_SECRET: CLIENT_SECRET },
      ...{ DISCORD_REDIRECT_URI: REDIRECT_URI, ...env },
    },
  });
  return {
    ...api,
    platform,
    async key(level, expiresAt = null) {
      const { collections } = api.stores.mongo;
      return (await createApiKey(collections, { name: `a ${level} key`, level, expiresAt })).key;
    },
    async close() {
      await api.close();
      await platform.close();
    },
  };
}

/** A JWT of the given claims, signed as the service does unless said otherwise. */
export function aToken(
  claims: object = {},
  options: { secret?: string; algorithm?: jwt.Algorithm; expiresIn?: number } = {},
): string {
  const { secret = JWT_SECRET, algorithm = 'HS256', expiresIn = 3_600 } = options;
  return jwt.sign({ sub: USER_ID, scope: ['read'], ...claims }, secret, { algorithm, expiresIn });
}

/** A bearer token as it is sent. */
export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
