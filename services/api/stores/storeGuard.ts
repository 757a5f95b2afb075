import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import type { StoreWatch } from '../../../shared/platform/watchStore.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { Unavailable } from '../unavailable.js';

/**
 * Makes a call to one store. Rejects with StoreAway, without the call, while the store is known to be away. Rejects
 * with a TimeoutError where the call takes too long.
 */
export type StoreGuard = <T>(call: () => Promise<T>) => Promise<T>;

/** Records how long a call took (seconds). `failed` means that the store was away, too slow or too busy. */
export type ObserveCall = (seconds: number, failed: boolean) => void;

/** 503 UNAVAILABLE, in place of a call to a store that is known to be away. */
export class StoreAway extends Unavailable {
  constructor() {
    super('The service is not available now; try again soon', 2);
  }
}

/** Throws StoreAway while a store is known to be away. */
export function refuseAway({ isUp }: Pick<StoreWatch, 'isUp'>): void {
  if (!isUp) throw new StoreAway();
}

/**
 * Makes the guard of a store's calls, which may take `limitMs` each. It reports the result of each call to the watch,
 * which decides whether the store is away.
 */
export function createGuard(watch: StoreWatch, observe: ObserveCall, limitMs: number): StoreGuard {
  return async (call) => {
    refuseAway(watch);
    watch.used();
    const began = performance.now();
    const end = (failed: boolean): void => {
      if (failed) watch.suspect();
      else watch.answered();
      observe((performance.now() - began) / 1_000, failed);
    };
    try {
      const result = await withTimeout(limitMs, call);
      end(false);
      return result;
    } catch (error) {
      // Other errors are answers of the store: it refused the call, so it is not away.
      end(isStoreAway(error));
      throw error;
    }
  };
}
