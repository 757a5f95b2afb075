/**
 * Search over a generated archive: the API, and beside it, in the same run, Elasticsearch asked the same directly in one
 * query (`one`) and in steps (`steps`). `--messages N` sets the size (default 1,000,000), `--rounds N` the length;
 * `--keep INDEX` stores the archive in an index of this name, or takes the one that is there, and leaves it.
 */
import { parseArgs } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { parseQuery } from '../services/api/search/parseQuery.js';
import { buildRequest, buildSteps } from '../services/api/search/searchRequest.js';
import { readSettings } from '../shared/platform/env.js';
import { searchAlias, searchIndexName } from '../shared/store/searchIndex.js';
import { searchIndexDefinition } from '../shared/store/searchMapping.js';
import { startApi, type ApiServer } from '../test/support/apiServer.js';
import { randomOf } from '../test/support/generateRecords.js';
import { searchParams } from '../test/support/searchDocuments.js';
import { removeSearchAndKeys } from '../test/support/stores.js';
import { textOf, wordOf } from './archive/words.js';
import { samplesOf, storeArchive } from './searchArchive.js';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '40' },
    keep: { type: 'string' },
  },
});

const random = randomOf(7);
const api = await startApi({ env: { CACHE_MEGABYTES: '0' } });
try {
  await run(api);
} finally {
  const { elasticsearch, mongo } = api.stores;
  const alias = { index: values.keep ?? '*', name: searchAlias(mongo.namespace) };
  await elasticsearch.indices.deleteAlias(alias, { ignore: [404] });
  await removeSearchAndKeys(api.stores);
  await api.close();
}

async function run({ url, stores }: ApiServer): Promise<void> {
  const { elasticsearch, mongo } = stores;
  const samples = await openArchive(elasticsearch, mongo.namespace);
  const { count } = await elasticsearch.count({ index: searchAlias(mongo.namespace) });
  console.log(`${count} documents`);
  const kinds: Record<string, (from: Sample) => string> = {
    'one common word': ({ common }) => common,
    'one rare word': ({ rare }) => rare,
    'two words, common and rare': ({ common, rare }) => `${common} ${rare}`,
    'two common words': ({ common, second }) => `${common} ${second}`,
    'three words': ({ common, middle, rare }) => `${common} ${middle} ${rare}`,
    phrase: ({ phrase }) => `"${phrase}"`,
    'phrase and common word': ({ phrase, common }) => `"${phrase}" ${common}`,
  };
  const ask = askers(url, mongo.namespace);
  const times = new Map<string, number[]>();
  const commonest: typeof kinds = {
    'the commonest word': () => wordOf(1),
    'the two commonest': () => `${wordOf(1)} ${wordOf(2)}`,
  };
  for (let round = -20; round < Number(values.rounds); round += 1) {
    for (const [kind, query] of Object.entries({ ...kinds, ...commonest })) {
      const q = query(sampleOf(samples[random.below(samples.length)]!));
      for (const [way, send] of shuffled(Object.entries(ask))) {
        const start = performance.now();
        await send(q);
        // The first rounds warm everything up.
        if (round < 0) continue;
        const took = performance.now() - start;
        for (const group of kind in kinds ? [kind, 'all of these'] : [kind]) {
          const key = `${group}|${way}`;
          times.set(key, [...(times.get(key) ?? []), took]);
        }
      }
    }
  }
  report([...Object.keys(kinds), 'all of these', ...Object.keys(commonest)], times);
}

/** The archive behind the namespace's alias; words of some of its messages. */
async function openArchive(client: Client, namespace: string): Promise<number[][]> {
  const messages = Number(values.messages);
  const began = performance.now();
  const index = values.keep ?? searchIndexName(namespace, 1);
  const isStored = await client.indices.exists({ index });
  if (!isStored) await client.indices.create({ index, ...searchIndexDefinition });
  const samples = isStored
    ? await samplesOf(messages)
    : await storeArchive(client, index, messages);
  if (!isStored) console.log(`Stored in ${seconds(began)} s`);
  await client.indices.putAlias({ index, name: searchAlias(namespace) });
  return samples;
}

/** Words of one message, so that every query finds something. */
interface Sample {
  common: string;
  second: string;
  middle: string;
  rare: string;
  phrase: string;
}

/** `common` words are those from the tenth commonest on. */
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

/** Ways to ask for the first page of a query's results. */
function askers(url: string, namespace: string): Record<string, (q: string) => Promise<void>> {
  const elasticsearch = `${readSettings().ELASTICSEARCH_URL}/${searchAlias(namespace)}/_search`;
  return {
    API: async (q) => {
      await read(await fetch(`${url}/api/search?q=${encodeURIComponent(q)}`));
    },
    one: async (q) => {
      await post(elasticsearch, buildRequest(parseQuery(q), searchParams(q)));
    },
    steps: async (q) => {
      const steps = buildSteps(parseQuery(q), searchParams(q));
      const [, titles] = await Promise.all(
        [steps.counts, steps.titles].map((step) => post(elasticsearch, step)),
      );
      if (titles!.hits.total!.value < 20) await post(elasticsearch, steps.all);
    },
  };
}

interface Found {
  hits: { total?: { value: number } };
}

/** What goes in the address of a direct request, and not in its body. */
async function post(url: string, request: object): Promise<Found> {
  const { preference, allow_partial_search_results, ...body } = request as Record<string, unknown>;
  const query = new URLSearchParams({
    preference: String(preference),
    allow_partial_search_results: String(allow_partial_search_results),
  });
  const headers = { 'Content-Type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await read(await fetch(`${url}?${query.toString()}`, sent))) as Found;
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as unknown;
}

function report(groups: string[], times: Map<string, number[]>): void {
  console.log('| query | API p50 | p99 | one p50 | p99 | steps p50 | p99 | API / one |');
  for (const group of groups) {
    const of = (way: string, part: number): number => {
      const sorted = (times.get(`${group}|${way}`) ?? []).toSorted((a, b) => a - b);
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
    };
    const cells = ['API', 'one', 'steps'].flatMap((way) => [of(way, 0.5), of(way, 0.99)]);
    const ratio = (of('API', 0.5) / of('one', 0.5)).toFixed(2);
    console.log(`| ${group} | ${cells.map((ms) => ms.toFixed(1)).join(' | ')} | ${ratio} |`);
  }
}

function shuffled<T>(list: T[]): T[] {
  return list
    .map((value) => ({ value, at: random.below(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(0);
}
