import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Children } from '../../services/local/children.js';
import { removeDataDir } from '../../services/local/elasticsearchFolder.js';
import { ensureServers } from '../../services/local/ensureServers.js';
import { createReport } from '../../services/local/report.js';
import type { StoreUrls } from '../../services/local/serversFile.js';

/** The three servers of a run, and the folder for its data. */
export interface RunServers {
  urls: StoreUrls;
  dataDir: string;
  close(): Promise<void>;
}

/**
 * Starts those of the three servers that are missing, among `children`. Their data stands in a temporary folder, which
 * is removed when they are stopped. With `dataDir`, it stands there, and stays.
 */
export async function startServers(
  children: Children,
  { env = process.env, dataDir }: { env?: NodeJS.ProcessEnv; dataDir?: string } = {},
): Promise<RunServers> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'forum-archive-run-'));
  const clear = (): unknown => dataDir ?? removeDataDir(folder);
  try {
    const report = createReport(process.stdout);
    const servers = await ensureServers({ dataDir: folder, env, report, children });
    const close = async (): Promise<void> => {
      await servers.stop();
      await clear();
    };
    return { urls: servers.urls, dataDir: folder, close };
  } catch (error) {
    await clear();
    throw error;
  }
}
