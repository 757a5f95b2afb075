import { numberOf, optionReaders } from './parts.js';

const HELP = `Usage: npm run bench -- search [options]

Asks the API and a floor in turn to search a generated archive, over 1 and over 32 connections.

  --messages N      size of the archive (default 1000000)
  --rounds N        rounds of 40 questions of each kind (default 10)
  --keep INDEX      use the archive in this index, or store it there, and keep it
  --help            show this
`;

const OPTIONS = {
  messages: { type: 'string', default: '1000000' },
  rounds: { type: 'string', default: '10' },
  keep: { type: 'string' },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(
  HELP,
  OPTIONS,
  ({ messages, rounds, keep }) => ({
    messages: numberOf('messages', messages, 1_000, 10_000_000),
    rounds: numberOf('rounds', rounds, 1, 1_000),
    keep,
  }),
);
