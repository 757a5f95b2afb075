import type { Redis } from 'ioredis';
import { createRedis } from '../../shared/platform/clients.js';
import { startOwnServers } from './ownServers.js';
import { PATIENCE_MS } from './patientElasticsearch.js';
import { withTemporaryFolder } from './temporaryFolder.js';

/** Runs `work` with the address of a Redis of its own, once `prepare` has changed its settings. */
export async function withOwnRedis(
  prepare: (redis: Redis) => Promise<unknown>,
  work: (url: string) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const wanted = { redis: true, mongodb: false, elasticsearch: false };
    const own = await startOwnServers(folder, wanted);
    const { url } = own.servers.redis!;
    const redis = createRedis(url, { timeoutMs: PATIENCE_MS });
    try {
      await redis.connect();
      await prepare(redis);
      await work(url);
    } finally {
      redis.disconnect();
      await own.stop();
    }
  });
}
