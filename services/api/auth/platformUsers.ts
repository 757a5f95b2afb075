import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Platform } from './platform.js';
import { AskedToWait, Blocked, PlatformAway } from './askPlatform.js';
import type { PlatformProfile } from './platformProfile.js';
import { InvalidCredential } from './refusals.js';

/** How long the user of a token is remembered (ms). */
const REMEMBERED_MS = 60_000;
/**
 * The most refusals that all processes of a machine together may cause at the platform in a minute. After 10,000
 * invalid requests in ten minutes, the platform bans an address for a while.
 */
const MOST_REFUSALS = 900;
/**
 * The most refusals that one process may cause in a minute, even if it is the only one. It is half of MOST_REFUSALS,
 * because two machines with one process each may share an address. By default, it is more than the wrong credentials
 * that one client may send in a minute.
 *
 * On a machine with three or more processes, the share of each is smaller, and one client can use it up. Then that
 * process looks up no users for the rest of the minute. A ban would be worse: it would stop all processes, and for
 * longer.
 */
const MOST_OF_ONE = 450;

/**
 * Makes a look-up of the users of platform tokens. It remembers each user by the hash of the token. `processes` is how
 * many processes share MOST_REFUSALS. The look-up rejects with FORBIDDEN and UNAVAILABLE.
 */
export function createPlatformUsers(
  platform: Pick<Platform, 'findProfile'>,
  processes = 1,
): (accessToken: string) => Promise<PlatformProfile> {
  const known = new LRUCache<string, Promise<PlatformProfile>>({ max: 10_000, ttl: REMEMBERED_MS });
  const most = Math.min(MOST_OF_ONE, Math.floor(MOST_REFUSALS / processes));
  const refusals = { minute: 0, count: 0 };
  let underway = 0;
  const lookUp = async (accessToken: string): Promise<PlatformProfile> => {
    const minute = Math.floor(Date.now() / 60_000);
    if (refusals.minute !== minute) Object.assign(refusals, { minute, count: 0 });
    const refusable = most - refusals.count;
    if (refusable <= 0) throw new PlatformAway('Too many tokens were refused', 60);
    // Each look-up under way may still cause a refusal.
    if (underway >= refusable) throw new PlatformAway('Too many tokens may be refused', 1);
    underway += 1;
    try {
      const profile = await platform.findProfile(accessToken);
      // Without the scope `guilds`, the platform has refused to list the user's servers.
      if (!profile.guilds) refusals.count += 1;
      return profile;
    } catch (error) {
      const isRefusal = error instanceof InvalidCredential || error instanceof Blocked;
      if (isRefusal) refusals.count += 1;
      throw error;
    } finally {
      underway -= 1;
    }
  };
  return (accessToken) => {
    const key = createHash('sha256').update(accessToken).digest('base64url');
    const kept = known.get(key);
    if (kept) return kept;
    const profile = lookUp(accessToken);
    known.set(key, profile);
    profile.catch((error: unknown) => {
      if (isOfToken(error)) known.set(key, profile, { ttl: error.seconds * 1_000 });
      else known.delete(key);
    });
    return profile;
  };
}

/** Whether only the token of the request has to wait. The error is remembered for as long, in place of the user. */
function isOfToken(error: unknown): error is AskedToWait {
  return error instanceof AskedToWait && !error.isForAll;
}
