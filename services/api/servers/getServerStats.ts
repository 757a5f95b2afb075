import type { Answer, CacheState } from '../answer.js';
import { findBody, type BodyStore } from '../bodies/findBody.js';
import type { Handler } from '../http/route.js';
import { isId } from '../ids.js';
import { STATS_LIFE_MS, type StatsCache } from './statsCache.js';

/**
 * GET /api/servers/:serverId/stats: from the cache in Redis, which all processes share, or else from MongoDB. X-Cache
 * and X-Cache-TTL say which, and how long the answer is still cached. Throws NOT_FOUND.
 */
export function getServerStats(
  store: BodyStore,
  cache: StatsCache,
): Handler<{ serverId: string }, unknown> {
  return async ({ params: { serverId } }) => {
    const cached = isId(serverId) ? await cache.read(serverId) : ({ state: 'away' } as const);
    if (cached.state === 'hit') return keptFor(cached.answer, 'HIT', cached.leftMs);
    const answer = await findBody(store, 'stats', serverId);
    if (cached.state === 'away') return { ...answer, cached: { state: 'BYPASS', expiresAt: 0 } };
    cache.write(serverId, answer, cached.at);
    return keptFor(answer, 'MISS', STATS_LIFE_MS);
  };
}

function keptFor(answer: Answer, state: CacheState['state'], ms: number): Answer {
  return { ...answer, cached: { state, expiresAt: performance.now() + ms } };
}
