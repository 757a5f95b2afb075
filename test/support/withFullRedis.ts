import { createRedis } from '../../shared/platform/clients.js';
import { startOwnServers } from './ownServers.js';
import { PATIENCE_MS } from './patientElasticsearch.js';
import { withTemporaryFolder } from './temporaryFolder.js';

/** Runs `work` with the address of a Redis that answers, but stores nothing, because its memory is full. */
export async function withFullRedis(work: (url: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const wanted = { redis: true, mongodb: false, elasticsearch: false };
    const own = await startOwnServers(folder, wanted);
    const { url } = own.servers.redis!;
    const redis = createRedis(url, { timeoutMs: PATIENCE_MS });
    try {
      await redis.connect();
      await redis.config('SET', 'maxmemory', '1');
      await work(url);
    } finally {
      redis.disconnect();
      await own.stop();
    }
  });
}
