import { runCommand } from '../runCommand.js';
import { archiveStatus, isHealthy, statusLines } from './archiveStatus.js';

/** Prints the archive's status. The result is ok where every store answers. */
export async function showStatus(options: { json?: boolean }): Promise<void> {
  await runCommand({ ...options, withoutMongo: true }, async (archive) => {
    const status = await archiveStatus(archive);
    return { json: status, lines: statusLines(status), ok: isHealthy(status) };
  });
}
