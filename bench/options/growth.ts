import { numberOf, OptionError, optionReaders } from './parts.js';

/** In an archive with fewer messages some lists are empty, so nothing could be asked of them. */
const LEAST_MESSAGES = 10_000;

const HELP = `Usage: npm run bench -- growth [options]

Asks the same of a small and of a large generated archive, in turns, one request at a time, the response cache off, and
shows how much longer the large one takes.

  --messages N      size of the large archive (default 100000, at least 10000)
  --from N          size of the small archive (default and least 10000)
  --requests N      requests of each question to each archive (default 300)
  --results FILE    where the table is written (default bench/growth.md)
  --help            show this
`;

const OPTIONS = {
  messages: { type: 'string', default: '100000' },
  from: { type: 'string', default: '10000' },
  requests: { type: 'string', default: '300' },
  results: { type: 'string', default: 'bench/growth.md' },
} as const;

export const { readOptions, optionsOrExit } = optionReaders(HELP, OPTIONS, (values) => {
  const options = {
    messages: numberOf('messages', values.messages, LEAST_MESSAGES, 10_000_000),
    from: numberOf('from', values.from, LEAST_MESSAGES, 10_000_000),
    requests: numberOf('requests', values.requests, 10, 1_000_000),
    results: values.results,
  };
  if (options.from < options.messages) return options;
  throw new OptionError('--from must be less than --messages');
});
