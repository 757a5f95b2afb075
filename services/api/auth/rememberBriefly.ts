import { LRUCache } from 'lru-cache';

/** Milliseconds that what was found is believed: a revocation is felt before a second is over. */
const BELIEVED = 800;

/** The same look-up, asking again only after 0.8 s. What was not found is asked for each time. */
export function rememberBriefly<Found extends object>(
  find: (id: string) => Promise<Found | null>,
): (id: string) => Promise<Found | null> {
  const known = new LRUCache<string, Found>({ max: 1_000, ttl: BELIEVED });
  return async (id) => {
    const kept = known.get(id);
    if (kept) return kept;
    const start = performance.now();
    const found = await find(id);
    // Believed from when it was asked for: a revocation may have come while the answer was on its way.
    if (found) known.set(id, found, { start });
    return found;
  };
}
