import type { Command } from 'commander';

/** `status` */
export function addStatus(program: Command): void {
  program
    .command('status')
    .description('Show what the archive holds and whether its stores answer')
    .option('--json', 'print the status as JSON')
    .action(async (options: { json?: boolean }) => {
      const { showStatus } = await import('./showStatus.js');
      await showStatus(options);
    });
}
