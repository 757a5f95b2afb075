import { numberOf, orExit, valuesOf } from './parts.js';

/** The options of the benchmark of memory. */
export interface MemoryOptions {
  messages: number;
}

const HELP = `Usage: npm run bench -- memory [options]

Fills the response cache of an API process with the threads of a generated archive, and shows the memory that the
process takes.

  --messages N      size of the archive (default 200000)
  --help            show this
`;

const OPTIONS = {
  messages: { type: 'string', default: '200000' },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the options. With --help, or where they are wrong, it prints that and ends the process. */
export function optionsOrExit(args: string[]): MemoryOptions {
  return orExit(HELP, () => readOptions(args));
}

/** Reads the options; undefined where help is asked for. Throws OptionError. */
export function readOptions(args: string[]): MemoryOptions | undefined {
  const { help, messages } = valuesOf(args, OPTIONS);
  return help ? undefined : { messages: numberOf('messages', messages, 1_000, 10_000_000) };
}
