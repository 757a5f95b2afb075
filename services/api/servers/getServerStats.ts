import type { Answer } from '../answer.js';
import { findBody, type BodyStore } from '../bodies/findBody.js';
import type { Handler } from '../http/route.js';
import { isId } from '../ids.js';
import type { StatsCache } from './statsCache.js';

/** GET /api/servers/:serverId/stats: through the shared cache. X-Cache and X-Cache-TTL say what the cache did. Throws NOT_FOUND. */
export function getServerStats(
  store: BodyStore,
  cache: StatsCache,
): Handler<{ serverId: string }, unknown> {
  return async ({ params: { serverId } }) => {
    const cached = isId(serverId) ? await cache.read(serverId) : ({ state: 'absent' } as const);
    if (cached.state === 'hit') return withCacheHeaders(cached.answer, 'HIT', cached.secondsLeft);
    const answer = await findBody(store, 'stats', serverId);
    if (cached.state === 'away') return withCacheHeaders(answer, 'BYPASS', 0);
    cache.write(serverId, answer);
    return withCacheHeaders(answer, 'MISS', cache.lifeSeconds);
  };
}

function withCacheHeaders(
  answer: Answer,
  state: 'HIT' | 'MISS' | 'BYPASS',
  secondsLeft: number,
): Answer {
  return { ...answer, headers: { 'X-Cache': state, 'X-Cache-TTL': String(secondsLeft) } };
}
