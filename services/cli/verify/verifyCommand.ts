import { InvalidArgumentError, type Command } from 'commander';
import { DEFAULT_SAMPLE } from '../../../shared/contract/verify.js';
import { runCommand } from '../runCommand.js';
import { runDeed } from '../runDeed.js';
import { verifyWhole } from './verifyWhole.js';

interface Options {
  repair?: boolean;
  sample: number | 'all';
  wait?: boolean;
  json?: boolean;
}

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
    .action(async (options: Options) => {
      const { repair = false, sample } = options;
      const wait = options.wait !== false;
      const verify = (archive: Parameters<typeof verifyWhole>[0]) =>
        verifyWhole(archive, { repair, sample, wait });
      if (!repair) await runCommand(options, verify);
      else await runDeed(options, { operation: 'verify', params: { repair, sample } }, verify);
    });
}

function parseSample(text: string): number | 'all' {
  if (text === 'all') return text;
  if (/^\d{1,7}$/.test(text) && Number(text) <= MOST_SAMPLED) return Number(text);
  throw new InvalidArgumentError('It is a number up to 1,000,000, or all.');
}
