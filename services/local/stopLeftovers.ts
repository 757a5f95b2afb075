import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, type ProcessId } from './processId.js';
import type { Report } from './report.js';
import { readServersFile } from './serversFile.js';

const LIMIT_MS = 5000;

/**
 * Ends processes that a killed launcher has left in a data folder. That happens where its guards were killed, too. Does
 * nothing while a launcher runs. Resolves when the processes have ended, or after 5 s.
 */
export async function stopLeftovers(dataDir: string, report: Report): Promise<void> {
  const { launcher, processes = [] } = await readServersFile(dataDir);
  if (launcher === undefined || isRunning(launcher)) return;
  const leftovers = processes.filter(isRunning);
  for (const leftover of leftovers) {
    report.line(`Stopping process ${leftover.pid}, left behind by a launcher that was killed`);
    killGroup(leftover);
  }
  const end = performance.now() + LIMIT_MS;
  while (leftovers.some(isRunning) && performance.now() < end) await delay(50);
}

function killGroup({ pid }: ProcessId): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
