import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Platform } from './platform.js';
import { platformAway } from './askPlatform.js';
import type { PlatformProfile } from './platformProfile.js';
import { InvalidCredential } from './refusals.js';

/** Milliseconds that the user of a token is remembered. */
const REMEMBERED = 60_000;
/** Refused tokens that may be tried at the platform in a minute: it bans addresses that send too many. */
const MOST_REFUSALS = 300;

/** Looks up the users of platform tokens, remembered by the token's hash. Throws FORBIDDEN, UNAVAILABLE. */
export function createPlatformUsers(
  platform: Platform,
): (accessToken: string) => Promise<PlatformProfile> {
  const known = new LRUCache<string, Promise<PlatformProfile>>({ max: 10_000, ttl: REMEMBERED });
  const refusals = { minute: 0, count: 0 };
  const lookUp = async (accessToken: string): Promise<PlatformProfile> => {
    const minute = Math.floor(Date.now() / 60_000);
    if (refusals.minute !== minute) Object.assign(refusals, { minute, count: 0 });
    if (refusals.count >= MOST_REFUSALS) throw platformAway('Too many tokens were refused', 60);
    try {
      const user = await platform.findUser(accessToken);
      return withGuilds(user, await platform.findGuilds(accessToken));
    } catch (error) {
      if (error instanceof InvalidCredential) refusals.count += 1;
      throw error;
    }
  };
  return (accessToken) => {
    const key = createHash('sha256').update(accessToken).digest('base64url');
    const kept = known.get(key);
    if (kept) return kept;
    const profile = lookUp(accessToken);
    known.set(key, profile);
    profile.catch(() => known.delete(key));
    return profile;
  };
}

function withGuilds(
  user: Omit<PlatformProfile, 'guilds'>,
  guilds: PlatformProfile['guilds'],
): PlatformProfile {
  return guilds ? { ...user, scope: [...user.scope, 'guilds'], guilds } : user;
}
