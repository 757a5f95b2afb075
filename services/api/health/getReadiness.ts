import type { ErrorBody } from '../../../shared/contract/errors.js';
import type { Readiness, StoreState } from '../../../shared/contract/health.js';
import type { StoreWatch } from '../../../shared/platform/watchStore.js';
import { jsonAnswer, type Answer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { StoreWatches } from '../stores/guardStores.js';

/**
 * GET /readyz: the state of each store. The status is 200 where all stores answer within a second; else 503.
 */
export function getReadiness(watches: StoreWatches): Handler<unknown, unknown> {
  return async () => {
    const stores = await storeStates(watches);
    const ready = Object.values(stores).every((state) => state === 'up');
    if (!ready) return unreadyAnswer(stores, `${namesOfAway(stores)} did not answer`);
    return { ...jsonAnswer({ stores }), noStore: true };
  };
}

/**
 * The state of each store. Every store is pinged, except those that are known to be away. `redis` is up where the Redis
 * of the cache and the Redis of the queue both answer.
 */
export async function storeStates(watches: StoreWatches): Promise<Readiness['stores']> {
  const [mongodb, elasticsearch, redis, queue] = await Promise.all([
    isUp(watches.mongodb),
    isUp(watches.elasticsearch),
    isUp(watches.redis),
    isUp(watches.queue),
  ]);
  return {
    mongodb: stateOf(mongodb),
    elasticsearch: stateOf(elasticsearch),
    redis: stateOf(redis && queue),
  };
}

async function isUp(watch: StoreWatch): Promise<boolean> {
  return watch.isUp && (await watch.look());
}

function namesOfAway(stores: Readiness['stores']): string {
  const away = Object.entries(stores).filter(([, state]) => state === 'down');
  return away.map(([name]) => name).join(', ');
}

function unreadyAnswer(stores: Readiness['stores'], why: string): Answer {
  const body: ErrorBody & Readiness = { error: `Not ready: ${why}`, code: 'UNAVAILABLE', stores };
  return { ...jsonAnswer(body), status: 503, headers: { 'Retry-After': '2' }, noStore: true };
}

function stateOf(isUp: boolean): StoreState {
  return isUp ? 'up' : 'down';
}
