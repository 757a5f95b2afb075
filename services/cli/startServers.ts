import { join } from 'node:path';
import { environment } from '../../shared/platform/env.js';
import { createChildren } from '../local/children.js';
import { ensureServers } from '../local/ensureServers.js';
import { createReport } from '../local/report.js';
import type { StoreUrls } from '../local/serversFile.js';
import { DIST, failWhenEnded, startService } from '../local/services.js';

/** The stores of an archive, with what the command can do if it started them. */
export interface FoundServers {
  urls: StoreUrls;
  from: string;
  /** Starts an indexer. Set only where this command started the servers. */
  startIndexer?: () => void;
  /** Rejects when a server or the indexer ends by itself. Set only where this command started them. */
  crashed?: Promise<never>;
  /** Stops the servers. Set only where this command started them. */
  stop?: () => Promise<void>;
}

/** Starts the local servers of a data folder. They run until they are stopped. Throws LaunchError. */
export async function startServers(dataDir: string): Promise<FoundServers> {
  const env = environment();
  const children = createChildren();
  const report = createReport(process.stderr);
  const servers = await ensureServers({ dataDir, env, children, report });
  const { urls } = servers;
  const logs = join(dataDir, 'logs');
  const context = { dist: DIST, children, watch: false, logs, env: { ...env, ...urls } };
  let endWithIndexer: (error: unknown) => void;
  const indexerEnded = new Promise<never>((_resolve, reject) => {
    endWithIndexer = reject;
  });
  const crashed = Promise.race([servers.crashed, indexerEnded]);
  // The indexer also ends when it is stopped, and then nobody waits for this any more.
  crashed.catch(() => undefined);
  return {
    urls,
    from: `started in ${dataDir} for this command`,
    startIndexer() {
      const indexer = startService('The indexer', 'indexer', context);
      failWhenEnded(indexer).catch(endWithIndexer);
    },
    crashed,
    async stop() {
      await children.stopAll();
      await servers.stop();
    },
  };
}
