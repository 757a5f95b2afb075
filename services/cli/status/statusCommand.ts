import type { Command } from 'commander';
import { runCommand } from '../runCommand.js';
import { archiveStatus, isHealthy, statusLines } from './archiveStatus.js';

/** `status` */
export function addStatus(program: Command): void {
  program
    .command('status')
    .description('Show what the archive holds and whether its stores answer')
    .option('--json', 'print the status as JSON')
    .action(async (options: { json?: boolean }) => {
      await runCommand(options, async (archive) => {
        const status = await archiveStatus(archive);
        return { json: status, lines: statusLines(status), ok: isHealthy(status) };
      });
    });
}
