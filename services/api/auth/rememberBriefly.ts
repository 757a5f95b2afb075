import { LRUCache } from 'lru-cache';

/** How long a result is reused (ms). It is less than a second, so that a revocation takes effect within a second. */
const REUSED_MS = 800;

/** Makes a look-up that reuses what `find` has found for REUSED_MS. A null is not reused. */
export function rememberBriefly<Found extends object>(
  find: (id: string) => Promise<Found | null>,
): (id: string) => Promise<Found | null> {
  const known = new LRUCache<string, Found>({ max: 1_000, ttl: REUSED_MS });
  return async (id) => {
    const kept = known.get(id);
    if (kept) return kept;
    const start = performance.now();
    const found = await find(id);
    // The time counts from the beginning of the look-up. Something may be revoked after it was read, and before the
    // result arrives here.
    if (found) known.set(id, found, { start });
    return found;
  };
}
