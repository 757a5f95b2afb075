import { ENDPOINTS, measurementNames, MODES } from '../measurements.js';
import { listOf, numberOf, OptionError, optionReaders } from './parts.js';

/** The options of the benchmark of the endpoints. */
export interface BenchOptions {
  messages: number;
  only: string[];
  seconds: number;
  runs: number;
  connections: number[];
  rate: number | undefined;
  url: string | undefined;
  serverId: string | undefined;
  results: string;
  drop: boolean;
}

const HELP = `Usage: npm run bench -- [options]

Measures every public endpoint beside its floor in the same run, prints a table of ratios and writes it to a file.
With MONGODB_URL, ELASTICSEARCH_URL and REDIS_URL set it uses these servers, else servers of its own in DATA_DIR/bench
(default .data/bench). The generated archive is kept there, in a database bench_<messages>.

  --messages N      size of the generated archive: 10000 (default), 100000, 1000000 or any other number
  --only NAMES      what to measure, comma separated: a mode, an endpoint, or <mode>/<endpoint>
  --seconds S       length of one run (default 2)
  --runs N          runs of each server, in turns (default 3)
  --connections N   open connections, or several numbers, comma separated (default 32)
  --rate N          requests a second of the modes with a constant rate (default: half of what the server can)
  --url URL         measure the server at this address, which speaks the same API, in place of this project's
  --server-id ID    a server of the archive at --url, where that cannot list its servers
  --results FILE    where the table is written (default bench/results.md)
  --drop            remove the generated archive afterwards
  --help            show this

Modes:
${Object.entries(MODES)
  .map(([mode, meaning]) => `  ${mode.padEnd(16)}  ${meaning}`)
  .join('\n')}

Endpoints: ${ENDPOINTS.map(({ name }) => name).join(', ')}
Other benchmarks, npm run bench -- NAME [--help]: growth, importArchive, memory, busyReads, search, suggest, hostileSearch,
verifyArchive, liveSync, outages
`;

const OPTIONS = {
  messages: { type: 'string', default: '10000' },
  only: { type: 'string', default: '' },
  seconds: { type: 'string', default: '2' },
  runs: { type: 'string', default: '3' },
  connections: { type: 'string', default: '32' },
  rate: { type: 'string' },
  url: { type: 'string' },
  'server-id': { type: 'string' },
  results: { type: 'string', default: 'bench/results.md' },
  drop: { type: 'boolean', default: false },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(
  HELP,
  OPTIONS,
  (values): BenchOptions => {
    const only = listOf(values.only);
    const parts = new Set(measurementNames().flatMap((name) => [name, ...name.split('/')]));
    const unknown = only.filter((name) => !parts.has(name));
    if (unknown.length > 0) {
      throw new OptionError(
        `--only: there is no ${unknown.join(', ')}. Choose of ${[...parts].filter((part) => !part.includes('/')).join(', ')}`,
      );
    }
    if (values['server-id'] !== undefined && values.url === undefined) {
      throw new OptionError('--server-id needs --url');
    }
    return {
      messages: numberOf('messages', values.messages, 1_000, 10_000_000),
      only,
      seconds: numberOf('seconds', values.seconds, 0.2, 3_600, false),
      runs: numberOf('runs', values.runs, 1, 100),
      connections: connectionsOf(values.connections),
      rate: values.rate === undefined ? undefined : numberOf('rate', values.rate, 1, 1_000_000),
      url: values.url === undefined ? undefined : httpUrl(values.url),
      serverId: values['server-id'],
      results: values.results,
      drop: values.drop,
    };
  },
);

/** Whether `--only` selects a measurement. Without `--only`, all are selected. */
export function isAskedFor(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((one) => one === name || name.split('/').includes(one));
}

function connectionsOf(text: string): number[] {
  const counts = listOf(text).map((one) => numberOf('connections', one, 1, 10_000));
  if (counts.length === 0) throw new OptionError('--connections needs at least one number');
  return counts;
}

/** The origin of a URL. */
function httpUrl(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'http:') return new URL(text).origin;
  throw new OptionError(`--url must be an http address such as http://127.0.0.1:3000, not ${text}`);
}
