/** Measures how well a running API answers judged queries. */
import { parseArgs } from 'node:util';
import type { SearchResponse } from '../../shared/contract/search.js';
import { formatTable } from './formatTable.js';
import { getJson } from './getJson.js';
import { evaluate, readJudgements, type Judgement } from './judgements.js';
import { askQuestions, QUESTION_COLUMNS, QUESTION_SETS, readQuestions } from './questions.js';

const USAGE = 'npm run relevance -- [--judgements file] [--api URL]';

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    judgements: { type: 'string', default: 'test/relevance/judgements.json' },
    api: { type: 'string', default: 'http://127.0.0.1:3000' },
  },
});

if (values.help) {
  console.log(USAGE);
  process.exit();
}

const judged = await evaluate(readJudgements(values.judgements), search);
const columns = { 'recall@10': 'recall', MRR: 'reciprocalRank', 'nDCG@10': 'ndcg' } as const;
show(values.judgements, formatTable(judged.kinds, columns), 'Not answered first', judged.notFirst);

for (const file of Object.values(QUESTION_SETS)) {
  const set = readQuestions(file);
  const server = await fetch(new URL(`/api/servers/${set.serverId}`, values.api));
  if (server.status === 404) {
    console.warn(`\nSKIPPED ${file}: the archive at ${values.api} holds nothing of its server`);
  } else {
    const { kinds, missed } = await askQuestions(set, get);
    show(file, formatTable(kinds, QUESTION_COLUMNS), 'Nothing found for', missed);
  }
}

async function search({ q, minScore }: Judgement): Promise<string[]> {
  const query = new URLSearchParams({ q, type: 'threads', limit: '10' });
  if (minScore !== undefined) query.set('minScore', String(minScore));
  const { results } = await get<SearchResponse>(`/api/search?${query}`);
  return results.threads.map(({ id }) => id);
}

function get<T>(path: string): Promise<T> {
  return getJson<T>(new URL(path, values.api));
}

function show(heading: string, table: string, label: string, failed: readonly string[]): void {
  console.log(`\n${heading}\n${table}`);
  if (failed.length > 0) console.log(`\n${label}:\n  ${failed.join('\n  ')}`);
}
