import { numberOf, optionReaders } from './parts.js';

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
} as const;

export const { readOptions, optionsOrExit } = optionReaders(
  HELP,
  OPTIONS,
  ({ messages, seconds }) => ({
    messages: numberOf('messages', messages, 1_000, 10_000_000),
    seconds: numberOf('seconds', seconds, 1, 3_600),
  }),
);
