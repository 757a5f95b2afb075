import { numberOf, optionReaders } from './parts.js';

const HELP = `Usage: npm run bench -- memory [options]

Fills the response cache of an API process with the threads of a generated archive, and shows the memory that the
process takes.

  --messages N      size of the archive (default 200000)
  --help            show this
`;

const OPTIONS = { messages: { type: 'string', default: '200000' } } as const;

export const { readOptions, optionsOrExit } = optionReaders(HELP, OPTIONS, ({ messages }) => ({
  messages: numberOf('messages', messages, 1_000, 10_000_000),
}));
