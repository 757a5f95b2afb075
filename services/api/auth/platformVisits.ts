import { AskedToWait, PlatformAway } from './askPlatform.js';

/** How many visits may be under way at once. */
const MOST_AT_ONCE = 100;

/**
 * Runs a visit: a few requests to the platform, one after the other. Rejects with UNAVAILABLE, without any request,
 * where the platform must not be asked now.
 */
export type Visit = <Found>(ask: () => Promise<Found>) => Promise<Found>;

/** Limits the visits to the platform: MOST_AT_ONCE at a time, and none until the time that a 429 asked for is over. */
export function createPlatformVisits(): Visit {
  let underway = 0;
  let closedUntil = 0;
  return async (ask) => {
    const left = Math.ceil((closedUntil - performance.now()) / 1_000);
    if (left > 0) throw new AskedToWait(left, true);
    if (underway >= MOST_AT_ONCE)
      throw new PlatformAway('The platform is asked too much at once', 1);
    underway += 1;
    try {
      return await ask();
    } catch (error) {
      if (error instanceof AskedToWait && error.isForAll) {
        closedUntil = Math.max(closedUntil, performance.now() + error.seconds * 1_000);
      }
      throw error;
    } finally {
      underway -= 1;
    }
  };
}
