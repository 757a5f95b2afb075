import type { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import type { ErrorBody } from '../../../shared/contract/errors.js';
import type { Readiness, StoreState } from '../../../shared/contract/health.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';

/** Milliseconds that a store has to show itself. */
const LIMIT = 1_000;

export interface Stores {
  db: Db;
  elasticsearch: ElasticsearchClient;
  redis: Redis;
}

/** GET /readyz: 503 unless every store answers within a second; the state of each either way. */
export function getReadiness(clients: Stores): Handler<unknown, unknown> {
  return async () => {
    const stores = await storeStates(clients);
    const ready = Object.values(stores).every((state) => state === 'up');
    const status = ready ? 200 : 503;
    return { ...jsonAnswer(ready ? { stores } : unready(stores)), status, noStore: true };
  };
}

/** Whether each store answers within a second. */
export async function storeStates({
  db,
  elasticsearch,
  redis,
}: Stores): Promise<Readiness['stores']> {
  const [mongodb, search, cache] = await Promise.all([
    stateOf(() => db.command({ ping: 1 }, { signal: AbortSignal.timeout(LIMIT) })),
    stateOf(() => elasticsearch.ping({}, { requestTimeout: LIMIT, maxRetries: 0 })),
    stateOf(() => redis.ping()),
  ]);
  return { mongodb, elasticsearch: search, redis: cache };
}

function unready(stores: Readiness['stores']): ErrorBody & Readiness {
  const away = Object.entries(stores).filter(([, state]) => state === 'down');
  const names = away.map(([name]) => name).join(', ');
  return { error: `Not ready: ${names} did not answer`, code: 'UNAVAILABLE', stores };
}

async function stateOf(ping: () => Promise<unknown>): Promise<StoreState> {
  const expired = new Promise<false>((resolve) => setTimeout(resolve, LIMIT, false).unref());
  try {
    return (await Promise.race([ping(), expired])) === false ? 'down' : 'up';
  } catch {
    return 'down';
  }
}
