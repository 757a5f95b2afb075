import type { Command } from 'commander';
import { runCommand, warn } from '../runCommand.js';
import { importPaths } from './importPaths.js';
import { isClean, summaryJson, summaryLines } from './importSummary.js';

/** `import <file-or-folder>...` */
export function addImport(program: Command): void {
  program
    .command('import')
    .description('Import DiscordChatExporter JSON files, or folders of them')
    .argument('<file-or-folder...>', 'files (gzip too) and folders')
    .option('--wait', 'wait until everything can be read (default)')
    .option('--no-wait', 'return once everything is stored and queued')
    .option('--json', 'print the summary as JSON')
    .action(async (paths: string[], options: { wait?: boolean; json?: boolean }) => {
      await runCommand(options, async (archive) => {
        const summary = await importPaths(archive, paths, { wait: options.wait ?? true, warn });
        return { json: summaryJson(summary), lines: summaryLines(summary), ok: isClean(summary) };
      });
    });
}
