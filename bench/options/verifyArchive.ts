import { numberOf, optionReaders } from './parts.js';

const HELP = `Usage: npm run bench -- verifyArchive [options]

Measures how long the verification of a generated archive takes, and how much memory.

  --messages N      size of the archive (default 100000)
  --database NAME   use the archive in this database, or store it there, and keep it
  --drop            remove the archive afterwards, also from a named database
  --help            show this
`;

const OPTIONS = {
  messages: { type: 'string', default: '100000' },
  database: { type: 'string' },
  drop: { type: 'boolean', default: false },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(
  HELP,
  OPTIONS,
  ({ messages, database, drop }) => ({
    messages: numberOf('messages', messages, 1_000, 10_000_000),
    database,
    drop,
  }),
);
