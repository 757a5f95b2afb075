import { LRUCache } from 'lru-cache';

/** How long a result is reused (ms). So a revocation takes effect within a second. */
const BELIEVED = 800;

/** Makes a look-up whose results are reused for BELIEVED ms. Where nothing was found, the next call looks again. */
export function rememberBriefly<Found extends object>(
  find: (id: string) => Promise<Found | null>,
): (id: string) => Promise<Found | null> {
  const known = new LRUCache<string, Found>({ max: 1_000, ttl: BELIEVED });
  return async (id) => {
    const kept = known.get(id);
    if (kept) return kept;
    const start = performance.now();
    const found = await find(id);
    // The time counts from the beginning of the look-up, because a revocation may come before its answer does.
    if (found) known.set(id, found, { start });
    return found;
  };
}
