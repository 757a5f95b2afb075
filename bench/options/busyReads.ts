import { numberOf, orExit, valuesOf } from './parts.js';

/** The options of the benchmark of reads beside an import. */
export interface BusyReadsOptions {
  messages: number;
  seconds: number;
}

const HELP = `Usage: npm run bench -- busyReads [options]

Reads an archive at a constant rate, first at rest, then while more is imported into it, and shows how much longer
readers wait then.

  --messages N      messages that are imported meanwhile (default 100000)
  --seconds N       how long it is read at rest (default 60)
  --help            show this
`;

const OPTIONS = {
  messages: { type: 'string', default: '100000' },
  seconds: { type: 'string', default: '60' },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the options. With --help, or where they are wrong, it prints that and ends the process. */
export function optionsOrExit(args: string[]): BusyReadsOptions {
  return orExit(HELP, () => readOptions(args));
}

/** Reads the options; undefined where help is asked for. Throws OptionError. */
export function readOptions(args: string[]): BusyReadsOptions | undefined {
  const { help, messages, seconds } = valuesOf(args, OPTIONS);
  if (help) return undefined;
  return {
    messages: numberOf('messages', messages, 1_000, 10_000_000),
    seconds: numberOf('seconds', seconds, 1, 3_600),
  };
}
