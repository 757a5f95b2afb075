/**
 * Measures search over a generated archive: `npm run bench -- search`. The API and a floor are asked in turn. The floor
 * asks Elasticsearch directly for all words in the same fields, with the same filters, counts of both kinds, 20
 * results, and a passage of each message among them.
 */
import { readSettings } from '../shared/platform/env.js';
import { searchAlias } from '../shared/store/searchIndex.js';
import type { ApiServer } from '../test/support/apiServer.js';
import { randomOf } from '../test/support/generateRecords.js';
import { textOf, wordOf } from './archive/words.js';
import { latenciesOf } from './load/percentiles.js';
import { optionsOrExit } from './options/search.js';
import { withSearchArchive } from './searchArchive.js';

const { messages, rounds, keep } = optionsOrExit(process.argv.slice(2));

/** How many questions of each kind a round has, for each way of asking. */
const QUESTIONS = 40;
const CONNECTIONS = [1, 32] as const;

const random = randomOf(7);
await withSearchArchive({ messages, keep }, run);

/** A question: words or a quoted phrase, and further parameters. */
interface Question {
  q: string;
  more: Record<string, string>;
}

async function run({ url, stores }: ApiServer, samples: number[][]): Promise<void> {
  const kinds: Record<string, (from: Sample) => Partial<Question>> = {
    'one common word': ({ common }) => ({ q: common }),
    'one rare word': ({ rare }) => ({ q: rare }),
    'two words, common and rare': ({ common, rare }) => ({ q: `${common} ${rare}` }),
    'two common words': ({ common, second }) => ({ q: `${common} ${second}` }),
    'three words': ({ common, middle, rare }) => ({ q: `${common} ${middle} ${rare}` }),
    phrase: ({ phrase }) => ({ q: `"${phrase}"` }),
    'phrase and common word': ({ phrase, common }) => ({ q: `"${phrase}" ${common}` }),
    'in one channel': ({ common, second }) => ({
      q: `${common} ${second}`,
      more: { channelId: String(random.below(20)) },
    }),
    'of one status and server': ({ common, middle }) => ({
      q: `${common} ${middle}`,
      more: { status: 'open', serverId: '1' },
    }),
    'from the 100th on': ({ common, second }) => ({
      q: `${common} ${second}`,
      more: { offset: '100' },
    }),
    'from the 5,000th on': ({ common }) => ({ q: common, more: { offset: '5000' } }),
  };
  const ways = waysToAsk(url, stores.mongo.namespace);
  for (const connections of CONNECTIONS) {
    const taken = new Map<string, Taken>();
    for (let round = -2; round < rounds; round += 1) {
      for (const [kind, questionOf] of Object.entries(kinds)) {
        const questions = Array.from({ length: QUESTIONS }, () => ({
          q: '',
          more: {},
          ...questionOf(sampleOf(samples[random.below(samples.length)]!)),
        }));
        for (const [way, ask] of shuffled(Object.entries(ways))) {
          const { ms, times, refused } = await timed(questions, connections, ask);
          // The first rounds warm everything up, and do not count.
          if (round < 0) continue;
          for (const group of [kind, 'all of these']) {
            const before = taken.get(`${group}|${way}`) ?? { ms: 0, times: [], refused: 0 };
            taken.set(`${group}|${way}`, {
              ms: before.ms + ms,
              times: [...before.times, ...times],
              refused: before.refused + refused,
            });
          }
        }
      }
    }
    report(connections, [...Object.keys(kinds), 'all of these'], taken);
  }
}

/** How long a batch of questions took, and each question that was answered (ms), and how many were refused. */
interface Taken {
  ms: number;
  times: number[];
  refused: number;
}

async function timed(
  questions: readonly Question[],
  connections: number,
  ask: (question: Question) => Promise<boolean>,
): Promise<Taken> {
  const left = [...questions];
  const times: number[] = [];
  let refused = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        const start = performance.now();
        if (await ask(next)) times.push(performance.now() - start);
        else refused += 1;
      }
    }),
  );
  return { ms: performance.now() - began, times, refused };
}

/** Words of one message, so that every query finds something. */
interface Sample {
  common: string;
  second: string;
  middle: string;
  rare: string;
  phrase: string;
}

/** The `common` words of a message are its commonest ones, but not those among the nine commonest of all. */
function sampleOf(ranks: readonly number[]): Sample {
  const sorted = [...new Set(ranks)].sort((a, b) => a - b);
  const [common = 10, second = 11] = sorted.filter((rank) => rank >= 10);
  return {
    common: wordOf(common),
    second: wordOf(second),
    middle: wordOf(sorted[sorted.length >> 1]!),
    rare: wordOf(sorted.at(-1)!),
    phrase: textOf(ranks.slice(1, 4)),
  };
}

/** The API, and the floor. Each resolves with whether it was answered. */
function waysToAsk(
  url: string,
  namespace: string,
): Record<string, (question: Question) => Promise<boolean>> {
  const elasticsearch = `${readSettings().ELASTICSEARCH_URL}/${searchAlias(namespace)}/_search`;
  const headers = { 'Content-Type': 'application/json' };
  return {
    API: async ({ q, more }) => {
      const query = new URLSearchParams({ q, ...more });
      return read(await fetch(`${url}/api/search?${query.toString()}`));
    },
    floor: async (question) => {
      const body = JSON.stringify(floorOf(question));
      return read(await fetch(elasticsearch, { method: 'POST', headers, body }));
    },
  };
}

/** The floor's query: all words, in the fields that the API searches. */
function floorOf({ q, more: { offset = '0', ...filters } }: Question): object {
  const isPhrase = (word: string): boolean => word.startsWith('"');
  const words = q.match(/"[^"]*"|\S+/g)!;
  const find = (fields: string[]) =>
    words.map((word) => ({
      multi_match: {
        query: word.replaceAll('"', ''),
        fields,
        ...(isPhrase(word) ? { type: 'phrase' } : { analyzer: 'inflected' }),
      },
    }));
  const threads = {
    nested: { path: 'stretches', query: { bool: { must: find(['stretches.text']) } } },
  };
  const messages = {
    bool: {
      must: find(['content', 'title']),
      filter: [{ bool: { should: find(['content']) } }],
    },
  };
  return {
    query: {
      bool: {
        must: [{ bool: { should: [threads, messages] } }],
        filter: Object.entries(filters).map(([field, value]) => ({ term: { [field]: value } })),
      },
    },
    from: Number(offset),
    size: 20,
    track_total_hits: false,
    aggs: { kinds: { terms: { field: 'kind' } } },
    highlight: {
      fields: { title: { number_of_fragments: 0 }, content: { number_of_fragments: 1 } },
    },
  };
}

/** Whether an answer came. A busy machine may refuse a question. Any other failure is thrown as a mistake. */
async function read(response: Response): Promise<boolean> {
  const text = await response.text();
  if (response.status === 503 || response.status === 429) return false;
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) !== null;
}

function report(connections: number, groups: string[], taken: ReadonlyMap<string, Taken>): void {
  console.log(`\n${connections} connections`);
  console.log(
    '| questions | API /s | floor /s | of the floor | API p50 | p99 | floor p50 | p99 | API refused |',
  );
  for (const group of groups) {
    const [api, floor] = ['API', 'floor'].map((way) => taken.get(`${group}|${way}`)!);
    const rate = ({ ms, times }: Taken): number => (1000 * times.length) / ms;
    const cells = [
      rate(api!).toFixed(0),
      rate(floor!).toFixed(0),
      (rate(api!) / rate(floor!)).toFixed(2),
      ...[api!, floor!].flatMap(({ times }) => {
        const { p50, p99 } = latenciesOf(times);
        return [p50.toFixed(1), p99.toFixed(1)];
      }),
      api!.refused,
    ];
    console.log(`| ${group} | ${cells.join(' | ')} |`);
  }
}

function shuffled<T>(list: T[]): T[] {
  return list
    .map((value) => ({ value, at: random.below(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
