import { numberOf, optionReaders } from './parts.js';

const HELP = `Usage: npm run bench -- outages [options]

Freezes and kills each store in turn while an API answers, and shows what readers saw.

  --rate N          requests a second (default 500)
  --help            show this
`;

const OPTIONS = { rate: { type: 'string', default: '500' } } as const;

export const { readOptions, optionsOrExit } = optionReaders(HELP, OPTIONS, ({ rate }) => ({
  rate: numberOf('rate', rate, 1, 100_000),
}));
