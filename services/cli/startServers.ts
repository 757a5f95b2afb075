import { join } from 'node:path';
import { environment } from '../../shared/platform/env.js';
import { createChildren } from '../local/children.js';
import { ensureServers } from '../local/ensureServers.js';
import { createReport } from '../local/report.js';
import { DIST } from '../local/services.js';
import type { FoundServers } from './findServers.js';
import { indexerStarter } from './indexerStarter.js';
import { storeUrlsOf } from './storeUrls.js';

/** Starts the local servers of a data folder. They run until they are stopped. Throws LaunchError. */
export async function startServers(dataDir: string): Promise<FoundServers> {
  const env = environment();
  const children = createChildren();
  const report = createReport(process.stderr);
  const servers = await ensureServers({ dataDir, env, children, report });
  const urls = storeUrlsOf(servers);
  const context = { dist: DIST, children, watch: false, logs: join(dataDir, 'logs') };
  let startIndexer: FoundServers['startIndexer'];
  const indexerEnded = new Promise<never>((_resolve, reject) => {
    startIndexer = indexerStarter({ ...context, env: { ...env, ...urls } }, reject);
  });
  const crashed = Promise.race([servers.crashed, indexerEnded]);
  // The indexer also ends when it is stopped, and then nobody waits for this any more.
  crashed.catch(() => undefined);
  return {
    urls,
    from: `started in ${dataDir} for this command`,
    startIndexer: startIndexer!,
    crashed,
    async stop() {
      await children.stopAll();
      await servers.stop();
    },
  };
}
