import type { Command } from 'commander';
import { importJobId } from '../../../shared/jobs/importJobId.js';
import { warn } from '../runCommand.js';
import { runDeed } from '../runDeed.js';
import { importPaths } from './importPaths.js';
import { isClean, summaryJson, summaryLines } from './importSummary.js';

const MOST_PATHS = 20;
const LONGEST_PATH = 1_024;

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
      const deed = { operation: 'importExport', params: told(paths) };
      await runDeed(options, deed, async (archive) => {
        const summary = await importPaths(archive, paths, { wait: options.wait ?? true, warn });
        return {
          ...{ json: summaryJson(summary), lines: summaryLines(summary), ok: isClean(summary) },
          jobId: importJobId(summary.importId),
        };
      });
    });
}

/** What the audit trail keeps of paths: a shell makes thousands of a pattern. */
function told(paths: readonly string[]): Record<string, unknown> {
  const shown = paths.slice(0, MOST_PATHS).map((path) => path.slice(0, LONGEST_PATH));
  return { paths: shown, ...(paths.length > MOST_PATHS && { pathCount: paths.length }) };
}
