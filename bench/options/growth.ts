import { numberOf, OptionError, orExit, valuesOf } from './parts.js';

/** The options of the benchmark of growth. */
export interface GrowthOptions {
  messages: number;
  from: number;
  /** How many requests each archive gets for each question. */
  requests: number;
  results: string;
}

/** In an archive with fewer messages some lists are empty, so nothing could be asked of them. */
const LEAST_MESSAGES = 10_000;

const HELP = `Usage: npm run bench -- growth [options]

Asks the same of a small and of a large generated archive, in turns, one request at a time, the response cache off, and
shows how much longer the large one takes.

  --messages N      size of the large archive (default 100000, at least 10000)
  --from N          size of the small archive (default and least 10000)
  --requests N      requests of each question to each archive (default 300)
  --results FILE    where the table is written (default bench/growth.md)
  --help            show this
`;

const OPTIONS = {
  messages: { type: 'string', default: '100000' },
  from: { type: 'string', default: '10000' },
  requests: { type: 'string', default: '300' },
  results: { type: 'string', default: 'bench/growth.md' },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the options. With --help, or where they are wrong, it prints that and ends the process. */
export function optionsOrExit(args: string[]): GrowthOptions {
  return orExit(HELP, () => readOptions(args));
}

/** Reads the options; undefined where help is asked for. Throws OptionError. */
export function readOptions(args: string[]): GrowthOptions | undefined {
  const { help, ...values } = valuesOf(args, OPTIONS);
  if (help) return undefined;
  const options = {
    messages: numberOf('messages', values.messages, LEAST_MESSAGES, 10_000_000),
    from: numberOf('from', values.from, LEAST_MESSAGES, 10_000_000),
    requests: numberOf('requests', values.requests, 10, 1_000_000),
    results: values.results,
  };
  if (options.from < options.messages) return options;
  throw new OptionError('--from must be less than --messages');
}
