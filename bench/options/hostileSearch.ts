import { numberOf, optionReaders } from './parts.js';

const HELP = `Usage: npm run bench -- hostileSearch [options]

Measures what questions that are hard to answer cost Elasticsearch, and what another reader notices of them.

  --questions N     questions that are made up (default 200)
  --seconds N       length of each attack (default 8)
  --only-attacks    leave the costs out
  --help            show this
`;

const OPTIONS = {
  questions: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '8' },
  'only-attacks': { type: 'boolean', default: false },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(HELP, OPTIONS, (values) => ({
  questions: numberOf('questions', values.questions, 1, 100_000),
  seconds: numberOf('seconds', values.seconds, 1, 3_600),
  onlyAttacks: values['only-attacks'],
}));
