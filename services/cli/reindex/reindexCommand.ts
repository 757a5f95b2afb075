import type { Command } from 'commander';
import { CliError } from '../cliError.js';
import { runCommand } from '../runCommand.js';
import { reindexSearch } from './reindexSearch.js';

/** `reindex --search` */
export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description('Build anew what is read, from what is recorded')
    .option('--search', 'the search index, without downtime')
    .option('--wait', 'wait for its end')
    .option('--json', 'print the result as JSON')
    .action(async (options: { search?: boolean; wait?: boolean; json?: boolean }) => {
      if (!options.search) throw new CliError('Say what to build anew: --search');
      await runCommand(options, (archive) =>
        reindexSearch(archive, { wait: options.wait ?? false }),
      );
    });
}
