import type { Command } from 'commander';
import { readPath } from '../readPath.js';
import type { ExportOptions } from './runExport.js';

/** `export <folder>` */
export function addExport(program: Command): void {
  program
    .command('export')
    .description('Write the archive as files that import takes')
    .argument('<folder>', 'an empty folder, or one to be made', readPath)
    .option('--force', 'write into a folder that is not empty; other files in it stay')
    .option('--json', 'print the summary as JSON')
    .action(async (folder: string, options: ExportOptions) => {
      const { runExport } = await import('./runExport.js');
      await runExport(folder, options);
    });
}
