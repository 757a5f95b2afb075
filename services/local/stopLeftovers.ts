import { realpath } from 'node:fs/promises';
import { describeProcess } from './processId.js';
import type { Report } from './report.js';
import { readServersFile } from './serversFile.js';

/**
 * Ends the servers that a killed launcher left in a data folder, should its guards have been killed with it.
 * A process is touched only when it is listed in servers.json and works in that folder.
 */
export async function stopLeftovers(dataDir: string, report: Report): Promise<void> {
  const { pids = [] } = await readServersFile(dataDir);
  const folder = await realpath(dataDir);
  for (const pid of pids) {
    const { command, cwd } = describeProcess(pid);
    if (!command.includes(`${folder}/`) && !`${cwd}/`.startsWith(`${folder}/`)) continue;
    report.line(`Stopping process ${pid}, left behind by a launcher that was killed`);
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended in the meantime.
    }
  }
}
