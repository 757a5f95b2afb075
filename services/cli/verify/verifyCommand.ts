import { InvalidArgumentError, type Command } from 'commander';
import { DEFAULT_SAMPLE } from '../../../shared/contract/defaultSample.js';
import type { VerifyOptions } from './runVerify.js';

const MOST_SAMPLED = 1_000_000;

/** `verify [--repair]` */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('Compare everything that is read with what is recorded; exit 1 when it differs')
    .option('--repair', 'mend what differs')
    .option(
      '--sample <count>',
      'threads to render again and compare byte for byte, or "all"',
      parseSample,
      DEFAULT_SAMPLE,
    )
    .option('--wait', 'wait for its end (default)')
    .option('--no-wait', 'return once the work is queued')
    .option('--json', 'print the report as JSON')
    .action(async (options: VerifyOptions) => {
      const { runVerify } = await import('./runVerify.js');
      await runVerify(options);
    });
}

function parseSample(text: string): number | 'all' {
  if (text === 'all') return text;
  if (/^\d{1,7}$/.test(text) && Number(text) <= MOST_SAMPLED) return Number(text);
  throw new InvalidArgumentError('It is a number up to 1,000,000, or all.');
}
