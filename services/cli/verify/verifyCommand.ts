import type { Command } from 'commander';
import type { VerifyOptions } from './runVerify.js';

/** `verify [--repair]` */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .description(
      'Compare everything that readers get with the records; exit code 1 where it differs',
    )
    .option('--repair', 'mend what differs')
    .option('--wait', 'wait for its end (default); Ctrl-C ends the waiting, not the work')
    .option('--no-wait', 'return once the work is queued')
    .option('--json', 'print the report as JSON')
    .action(async (options: VerifyOptions) => {
      const { runVerify } = await import('./runVerify.js');
      await runVerify(options);
    });
}
