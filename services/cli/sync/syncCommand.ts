import type { Command } from 'commander';
import type { SyncOptions } from './runSync.js';

/** `sync [--server ID | --channel ID | --thread ID]` */
export function addSync(program: Command): void {
  program
    .command('sync')
    .description(
      'Fetch what is new from the platform; with --thread, read a whole thread once more',
    )
    .option('--server <id>', 'only this server')
    .option('--channel <id>', 'only this forum')
    .option('--thread <id>', 'only this thread, from its first message on')
    .option('--wait', 'wait for its end (default); Ctrl-C ends the waiting, not the work')
    .option('--no-wait', 'return once it is asked for')
    .option('--json', 'print the result as JSON')
    .action(async (options: SyncOptions, command: Command) => {
      const { runSync, placeOf } = await import('./runSync.js');
      const place = placeOf(options);
      if (typeof place === 'string') command.error(`error: ${place}`);
      else await runSync(options, place);
    });
}
