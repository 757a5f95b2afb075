import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Collections } from '../store/collections.js';
import { stateOf } from '../store/state.js';

/**
 * An indexer and an API that were given different Redis servers for announcements would never hear of each other. So
 * each indexer leaves a new token in its Redis now and then, and after that in MongoDB. The API looks whether its own
 * Redis holds the token that stands in MongoDB.
 */
interface Where {
  redis: Redis;
  namespace: string;
  collections: Pick<Collections, 'state'>;
}

/** How long (ms) Redis keeps a token. Whoever reads a new one in MongoDB looks for it much sooner. */
const KEPT_MS = 120_000;

/** Leaves a new token in both stores. Leaves none where Redis is away. */
export async function leaveBeat({ redis, namespace, collections }: Where): Promise<void> {
  const token = randomUUID();
  const isLeft = await redis.set(keyOf(namespace, token), '', 'PX', KEPT_MS).then(
    () => true,
    () => false,
  );
  if (!isLeft) return;
  const beat = stateOf(collections.state, 'beat');
  await beat.updateOne({ _id: 'beat' }, { $set: { token } }, { upsert: true });
}

/**
 * Makes a function that resolves with whether this Redis holds the token that stands in MongoDB; with undefined where
 * no indexer has left another one since the last look. Rejects while a store is away.
 */
export function beatReader({
  redis,
  namespace,
  collections,
}: Where): () => Promise<boolean | undefined> {
  let last: string | undefined;
  return async () => {
    const beat = await stateOf(collections.state, 'beat').findOne({ _id: 'beat' });
    if (!beat || beat.token === last) return undefined;
    // It is noted first, so that no other look counts it once more.
    last = beat.token;
    return (await redis.exists(keyOf(namespace, beat.token))) > 0;
  };
}

function keyOf(namespace: string, token: string): string {
  return `${namespace}:beat:${token}`;
}
