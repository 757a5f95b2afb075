import type { Command } from 'commander';
import { readPaths } from '../readPath.js';
import type { ImportOptions } from './runImport.js';

/** `import <file-or-folder>...` */
export function addImport(program: Command): void {
  program
    .command('import')
    .description('Import DiscordChatExporter JSON files, or folders of them')
    .argument('<file-or-folder...>', 'files (gzip too) and folders', readPaths)
    .option(
      '--wait',
      'wait until everything can be read (default); Ctrl-C ends the waiting, not what is queued',
    )
    .option('--no-wait', 'return once everything is stored and queued')
    .option('--json', 'print the summary as JSON')
    .action(async (paths: string[], options: ImportOptions) => {
      const { runImport } = await import('./runImport.js');
      await runImport(paths, options);
    });
}
