import type { Collections } from '../../../shared/store/collections.js';
import type { Caller } from '../caller.js';
import { createApiKeyChecker } from './apiKeyChecker.js';
import type { Credential } from './credential.js';
import type { PlatformProfile } from './platformProfile.js';
import { invalidCredential } from './refusals.js';
import { createServiceTokenChecker, type ServiceTokenSettings } from './serviceTokenChecker.js';

/** Checks a credential, and finds its caller. Rejects with TOKEN_EXPIRED, FORBIDDEN and UNAVAILABLE. */
export type Identify = (credential: Credential) => Promise<Caller>;

interface Sources {
  collections: Pick<Collections, 'apiKeys' | 'refreshTokens'>;
  /** Undefined without JWT_SECRET. */
  serviceTokens: ServiceTokenSettings | undefined;
  /** Undefined where no platform is configured. */
  findUser: ((accessToken: string) => Promise<PlatformProfile>) | undefined;
}

/**
 * Makes a check of credentials of all kinds. Without `serviceTokens`, it refuses every service token, and without
 * `findUser` every platform token.
 */
export function createIdentify({ collections, serviceTokens, findUser }: Sources): Identify {
  const checkKey = createApiKeyChecker(collections);
  const checkToken = serviceTokens && createServiceTokenChecker(collections, serviceTokens);
  const kinds: Record<Credential['kind'], (text: string) => Promise<Caller>> = {
    key: checkKey,
    async jwt(token) {
      if (!checkToken) throw invalidCredential('token');
      return checkToken(token);
    },
    async platform(token) {
      if (!findUser) throw invalidCredential('token');
      const profile = await findUser(token);
      return { kind: 'platform', id: profile.id, scopes: [], profile };
    },
  };
  return async ({ kind, text }) => kinds[kind](text);
}
