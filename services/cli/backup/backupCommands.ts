import type { Command } from 'commander';
import { readPath } from '../readPath.js';
import type { RestoreOptions } from './runRestore.js';

/** `backup <folder>` */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'Write all that cannot be built again into a folder: records, deletions, erasures, keys',
    )
    .argument('<folder>', 'an empty folder, or one to be made', readPath)
    .option('--json', 'print what it holds as JSON')
    .action(async (folder: string, options: { json?: boolean }) => {
      const { runBackup } = await import('./runBackup.js');
      await runBackup(folder, options);
    });
}

/** `restore <folder>` */
export function addRestore(program: Command): void {
  program
    .command('restore')
    .description(
      'Put a backup into an empty archive, build its views and search index, and verify it',
    )
    .argument('<folder>', 'what backup wrote', readPath)
    .option(
      '--keys',
      'let API keys work as they did at the backup, even those revoked since; without it, all are revoked',
    )
    .option('--json', 'print the report as JSON')
    .action(async (folder: string, options: RestoreOptions) => {
      const { runRestore } = await import('./runRestore.js');
      await runRestore(folder, options);
    });
}
