import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Platform } from './platform.js';
import { AskedToWait, Blocked, PlatformAway } from './askPlatform.js';
import type { PlatformProfile } from './platformProfile.js';
import { InvalidCredential } from './refusals.js';

/** How long the user of a token is remembered (ms), from the start of the look-up. */
const REMEMBERED_MS = 60_000;
/** How many bytes all remembered users may take in memory, as estimated. A user may have 200 servers: 75 kB. */
const MOST_BYTES = 32 * 1_048_576;
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
  const known = new LRUCache<string, PlatformProfile | AskedToWait>({
    maxSize: MOST_BYTES,
    sizeCalculation: bytesOf,
    ttl: REMEMBERED_MS,
  });
  /** The look-ups under way. */
  const lookUps = new Map<string, Promise<PlatformProfile>>();
  const most = Math.min(MOST_OF_ONE, Math.floor(MOST_REFUSALS / processes));
  const refusals = { minute: 0, count: 0 };
  const lookUp = async (accessToken: string): Promise<PlatformProfile> => {
    const minute = Math.floor(Date.now() / 60_000);
    if (refusals.minute !== minute) Object.assign(refusals, { minute, count: 0 });
    const refusable = most - refusals.count;
    if (refusable <= 0) throw new PlatformAway('Too many tokens were refused', 60);
    // Each look-up under way may still cause a refusal.
    if (lookUps.size >= refusable) throw new PlatformAway('Too many tokens may be refused', 1);
    try {
      const profile = await platform.findProfile(accessToken);
      // Without the scope `guilds`, the platform has refused to list the user's servers.
      if (!profile.guilds) refusals.count += 1;
      return profile;
    } catch (error) {
      const isRefusal = error instanceof InvalidCredential || error instanceof Blocked;
      if (isRefusal) refusals.count += 1;
      throw error;
    }
  };
  const find = async (key: string, accessToken: string): Promise<PlatformProfile> => {
    const start = performance.now();
    try {
      const profile = await lookUp(accessToken);
      known.set(key, profile, { start });
      return profile;
    } catch (error) {
      if (isOfToken(error)) known.set(key, error, { ttl: error.seconds * 1_000 });
      throw error;
    } finally {
      lookUps.delete(key);
    }
  };
  return async (accessToken) => {
    const key = createHash('sha256').update(accessToken).digest('base64url');
    const kept = known.get(key);
    if (kept instanceof AskedToWait) {
      const left = Math.ceil(known.getRemainingTTL(key) / 1_000);
      throw new AskedToWait(Math.max(1, left), kept.isForAll);
    }
    if (kept) return kept;
    const asked = lookUps.get(key) ?? find(key, accessToken);
    lookUps.set(key, asked);
    return asked;
  };
}

/** About how many bytes a remembered user takes in memory. A character takes two at most. */
function bytesOf(user: PlatformProfile | AskedToWait): number {
  return 1_024 + (user instanceof AskedToWait ? 0 : 2 * JSON.stringify(user).length);
}

/** Whether only the token of the request has to wait. The error is remembered for as long, in place of the user. */
function isOfToken(error: unknown): error is AskedToWait {
  return error instanceof AskedToWait && !error.isForAll;
}
