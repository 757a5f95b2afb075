import { numberOf, optionReaders } from './parts.js';

const HELP = `Usage: npm run bench -- importArchive [options] [folder...]

Imports a generated archive, or the named folders, until everything is searchable and counted, builds it again, and
measures the floor: raw bulk writes of the same documents.

  --threads N       threads of the generated archive (default 5000)
  --messages N      messages of the generated archive (default 100000)
  --help            show this
`;

const OPTIONS = {
  threads: { type: 'string', default: '5000' },
  messages: { type: 'string', default: '100000' },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(
  HELP,
  OPTIONS,
  ({ threads, messages }, folders) => ({
    threads: numberOf('threads', threads, 1, 1_000_000),
    messages: numberOf('messages', messages, 1, 10_000_000),
    folders,
  }),
  { takesOthers: true },
);
