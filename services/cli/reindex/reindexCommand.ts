import type { Command } from 'commander';
import type { ReindexOptions } from './runReindex.js';

/** `reindex --search` or `reindex --views` */
export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description('Build the search index or the views again from the records')
    .option('--search', 'the search index, without downtime')
    .option('--views', 'every view and search document, in place')
    .option('--wait', 'wait for its end (default); Ctrl-C ends the waiting, not the work')
    .option('--no-wait', 'return once the work is queued')
    .option('--json', 'print the result as JSON')
    .action(async (options: ReindexOptions, command: Command) => {
      if (options.search === options.views) {
        command.error('error: say what to build again: --search or --views');
      }
      const { runReindex } = await import('./runReindex.js');
      await runReindex(options);
    });
}
