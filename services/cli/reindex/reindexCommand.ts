import type { Command } from 'commander';
import { runDeed } from '../runDeed.js';
import { reindexSearch } from './reindexSearch.js';
import { reindexViews } from './reindexViews.js';

interface Options {
  search?: boolean;
  views?: boolean;
  wait?: boolean;
  json?: boolean;
}

/** `reindex --search` or `reindex --views` */
export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description('Build anew what is read, from what is recorded')
    .option('--search', 'the search index, without downtime')
    .option('--views', 'every view and search document, in place')
    .option('--wait', 'wait for its end (default)')
    .option('--no-wait', 'return once the work is queued')
    .option('--json', 'print the result as JSON')
    .action(async (options: Options, command: Command) => {
      if (options.search === options.views) {
        command.error('error: say what to build anew: --search or --views');
      }
      const [target, rebuild] = options.search
        ? (['search', reindexSearch] as const)
        : (['views', reindexViews] as const);
      const deed = { operation: 'reindex', params: { target } };
      await runDeed(options, deed, (archive) => rebuild(archive, { wait: options.wait !== false }));
    });
}
