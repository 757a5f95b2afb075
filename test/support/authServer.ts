import jwt from 'jsonwebtoken';
import { beginFamily } from '../../services/api/auth/refreshTokens.js';
import { AUDIENCE, ISSUER } from '../../services/api/auth/serviceClaims.js';
import { scopesOf, type Scope } from '../../shared/contract/scopes.js';
import { type TokenResponse } from '../../shared/contract/auth.js';
import { createApiKey } from '../../shared/store/apiKeys.js';
import type { Collections } from '../../shared/store/collections.js';
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

/** The API with everything that logging in needs, and with a platform of its own. */
export interface AuthServer extends ApiServer {
  platform: PlatformDouble;
  /** A new API key with a level. */
  key(level: Scope, expiresAt?: Date | null): Promise<string>;
  /** Logs a user in, and resolves with the tokens that POST /auth/token answers. */
  logIn(userId: string): Promise<TokenResponse>;
  /** The id of a new login that is stored without asking the platform. */
  login(userId: string): Promise<string>;
  /** A service token with a level, from a new login of an administrator. */
  token(level: Scope): Promise<string>;
}

/** Starts the API with logins configured. `env` replaces single settings. */
export async function startAuth(env: Record<string, string> = {}): Promise<AuthServer> {
  const platform = await startPlatform();
  const api = await startApi({
    env: {
      JWT_SECRET,
      ADMIN_USER_IDS: `7, ${ADMIN_ID}`,
      DISCORD_API_URL: platform.url,
      DISCORD_CLIENT_ID: CLIENT_ID,
      DISCORD_CLIENT_SECRET: CLIENT_SECRET,
      DISCORD_REDIRECT_URI: REDIRECT_URI,
      ...env,
    },
  });
  const { collections } = api.stores.mongo;
  const login = (userId: string) => storeLogin(collections, userId);
  return {
    ...api,
    platform,
    login,
    async token(level) {
      return aToken({ sub: ADMIN_ID, scope: scopesOf(level), sid: await login(ADMIN_ID) });
    },
    async logIn(userId) {
      const body = { grant_type: 'authorization_code', code: platform.newCode(userId) };
      return (await api.send('POST', '/auth/token', {}, body)).json() as TokenResponse;
    },
    async key(level, expiresAt = null) {
      return (await createApiKey(collections, { name: `a ${level} key`, level, expiresAt })).key;
    },
    async close() {
      await api.close();
      await platform.close();
    },
  };
}

/** Stores a new login, and resolves with its id. */
export async function storeLogin(
  collections: Pick<Collections, 'refreshTokens'>,
  userId: string,
): Promise<string> {
  const account = { userId, username: `user${userId}`, avatar: 'https://a.example/1.png' };
  const settings = { jwtSecret: JWT_SECRET, refreshTokenSeconds: 3_600 };
  return (await beginFamily(collections, settings, account)).family._id;
}

/** A JWT with these claims (undefined leaves a claim out). It is signed as the service signs, unless told otherwise. */
export function aToken(
  claims: object = {},
  options: { secret?: string; algorithm?: jwt.Algorithm; expiresIn?: number } = {},
): string {
  const { secret = JWT_SECRET, algorithm = 'HS256', expiresIn = 3_600 } = options;
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: USER_ID, scope: ['read'] };
  return jwt.sign({ ...usual, ...claims }, secret, { algorithm, expiresIn });
}

/** The header that sends a bearer token. */
export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
