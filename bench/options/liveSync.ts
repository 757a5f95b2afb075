import { listOf, numberOf, OptionError, optionReaders } from './parts.js';

/** What is measured, and how. */
const LIVE_PARTS = {
  rest: 'events of a quiet server: how long until the API shows them',
  busy: 'the same while a second server is fetched and an archive imported',
  burst: 'events at a constant rate: how far behind at the end, and the memory of the indexer',
  pages:
    'a first sync of many messages: requests a second beside the limits, and how many were refused',
} as const;

export type LivePart = keyof typeof LIVE_PARTS;

/** The options of the benchmark of the live sync. */
export interface LiveOptions {
  parts: LivePart[];
  /** How many events `rest` and `busy` have. */
  events: number;
  /** How many events a second `burst` has, and for how many minutes. */
  rate: number;
  minutes: number;
  /** How many threads the server of `burst` has. One of them has 5,000 messages. */
  threads: number;
  /** How many messages `pages` has. */
  messages: number;
}

const HELP = `Usage: npm run bench -- liveSync [options]

Measures the live sync against a double of the platform with all its limits, through a real indexer and a real API.

  --parts NAMES   what to measure, comma separated (default all)
  --events N      events of rest and busy (default 300)
  --rate N        events a second of burst (default 50)
  --minutes N     length of burst (default 10)
  --threads N     threads of burst (default 1000)
  --messages N    messages of pages (default 100000)
  --help          show this

Parts:
${Object.entries(LIVE_PARTS)
  .map(([part, meaning]) => `  ${part.padEnd(14)}  ${meaning}`)
  .join('\n')}
`;

const OPTIONS = {
  parts: { type: 'string', default: '' },
  events: { type: 'string', default: '300' },
  rate: { type: 'string', default: '50' },
  minutes: { type: 'string', default: '10' },
  threads: { type: 'string', default: '1000' },
  messages: { type: 'string', default: '100000' },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(
  HELP,
  OPTIONS,
  (values): LiveOptions => {
    const names = Object.keys(LIVE_PARTS) as LivePart[];
    const parts = listOf(values.parts);
    const unknown = parts.filter((part) => !names.some((name) => name === part));
    if (unknown.length > 0) {
      throw new OptionError(
        `--parts: there is no ${unknown.join(', ')}. Choose of ${names.join(', ')}`,
      );
    }
    return {
      parts: parts.length === 0 ? names : names.filter((name) => parts.includes(name)),
      events: numberOf('events', values.events, 1, 100_000),
      rate: numberOf('rate', values.rate, 1, 1_000),
      minutes: numberOf('minutes', values.minutes, 0.1, 600, false),
      threads: numberOf('threads', values.threads, 2, 100_000),
      messages: numberOf('messages', values.messages, 100, 10_000_000),
    };
  },
);
