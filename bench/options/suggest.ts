import { numberOf, optionReaders } from './parts.js';

const HELP = `Usage: npm run bench -- suggest [options]

Asks for completions of titles over a generated archive, first alone and then beside searches.

  --messages N      size of the archive (default 1000000)
  --searches N      searches a second (default 100)
  --seconds N       length of each part (default 20)
  --keep INDEX      use the archive in this index, or store it there, and keep it
  --help            show this
`;

const OPTIONS = {
  messages: { type: 'string', default: '1000000' },
  searches: { type: 'string', default: '100' },
  seconds: { type: 'string', default: '20' },
  keep: { type: 'string' },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(
  HELP,
  OPTIONS,
  ({ messages, searches, seconds, keep }) => ({
    messages: numberOf('messages', messages, 1_000, 10_000_000),
    searches: numberOf('searches', searches, 1, 10_000),
    seconds: numberOf('seconds', seconds, 1, 3_600),
    keep,
  }),
);
