/** `npm run relevance -- [--judgements file] [--api URL]`: how well a running API answers judged queries. */
import { parseArgs } from 'node:util';
import type { SearchResponse } from '../../shared/contract/search.js';
import { evaluate, readJudgements, type Judgement } from './judgements.js';

const { values } = parseArgs({
  options: {
    judgements: { type: 'string', default: 'test/relevance/judgements.json' },
    api: { type: 'string', default: 'http://127.0.0.1:3000' },
  },
});

const { kinds, notFirst } = await evaluate(readJudgements(values.judgements), search);
console.log(line('', 'queries', 'recall@10', 'MRR', 'nDCG@10'));
for (const [kind, { queries, ...scores }] of kinds) {
  const { recall, reciprocalRank, ndcg } = scores;
  const shown = [recall, reciprocalRank, ndcg].map((value) => value.toFixed(3));
  console.log(line(kind, String(queries), ...shown));
}
if (notFirst.length > 0) console.log(`\nNot answered first:\n  ${notFirst.join('\n  ')}`);

async function search({ q, minScore }: Judgement): Promise<string[]> {
  const url = new URL('/api/search', values.api);
  url.searchParams.set('q', q);
  url.searchParams.set('type', 'threads');
  url.searchParams.set('limit', '10');
  if (minScore !== undefined) url.searchParams.set('minScore', String(minScore));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} answered ${response.status}`);
  const { results } = (await response.json()) as SearchResponse;
  return results.threads.map(({ id }) => id);
}

function line(...cells: string[]): string {
  return cells.map((cell, n) => (n === 0 ? cell.padEnd(12) : cell.padStart(10))).join('');
}
