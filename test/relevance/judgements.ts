import { readFileSync } from 'node:fs';
import Joi from 'joi';
import { mean, measure, type Scores } from './metrics.js';

/** A query with the threads that answer it: 3 is the answer, 2 answers it as well, 1 helps. */
export interface Judgement {
  kind: string;
  q: string;
  /** How weak a match may be; the API's default when absent. */
  minScore?: number;
  grades: Record<string, number>;
}

interface JudgementFile {
  about?: string;
  queries: Judgement[];
}

const schema = Joi.object<JudgementFile, true>({
  about: Joi.string(),
  queries: Joi.array()
    .items(
      Joi.object<Judgement, true>({
        kind: Joi.string().required(),
        q: Joi.string().required(),
        minScore: Joi.number().min(0).max(1),
        grades: Joi.object()
          .pattern(/^\d{1,20}$/, Joi.number().integer().min(1).max(3))
          .min(1)
          .required(),
      }),
    )
    .min(1)
    .required(),
});

/** Reads a file of judgements. Throws an error that names what is wrong with it. */
export function readJudgements(file: string | URL): Judgement[] {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const result = schema.validate(parsed);
  if (result.error) throw new Error(`${String(file)}: ${result.error.message}`);
  return result.value.queries;
}

/** What came of judged queries: by kind, and `all`; and those whose best answer does not stand first. */
export interface Report {
  kinds: Map<string, Scores & { queries: number }>;
  notFirst: string[];
}

/** Asks every query for its first ten threads and measures the answers. */
export async function evaluate(
  judgements: readonly Judgement[],
  search: (judgement: Judgement) => Promise<string[]>,
): Promise<Report> {
  const scores = new Map<string, Scores[]>();
  const notFirst: string[] = [];
  for (const judgement of judgements) {
    const ranking = await search(judgement);
    const measured = measure(ranking, judgement.grades);
    for (const kind of [judgement.kind, 'all'])
      scores.set(kind, [...(scores.get(kind) ?? []), measured]);
    if (measured.reciprocalRank < 1)
      notFirst.push(`${judgement.q}: ${ranking.join(' ') || 'none'}`);
  }
  const order = [...scores.keys()].sort((a, b) => Number(a === 'all') - Number(b === 'all'));
  return {
    kinds: new Map(
      order.map((kind) => {
        const all = scores.get(kind)!;
        return [kind, { ...mean(all), queries: all.length }];
      }),
    ),
    notFirst,
  };
}
