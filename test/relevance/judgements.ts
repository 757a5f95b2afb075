import Joi from 'joi';
import { meanByKind, measure, type Measured, type Scores } from './metrics.js';
import { readChecked } from './readChecked.js';

/** A query, with the threads that are of use. Grade 3 is the answer, 2 answers it as well, and 1 helps. */
export interface Judgement {
  kind: string;
  q: string;
  /** How weak a match may be. Without it, the API's default counts. */
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
  return readChecked(file, schema).queries;
}

/** The results of judged queries: by kind and for `all`, and the queries whose best answer does not come first. */
export interface Report {
  kinds: Map<string, Scores & { queries: number }>;
  notFirst: string[];
}

/** Asks every query for its first ten threads, and measures the answers. */
export async function evaluate(
  judgements: readonly Judgement[],
  search: (judgement: Judgement) => Promise<string[]>,
): Promise<Report> {
  const measured: Measured<Scores>[] = [];
  const notFirst: string[] = [];
  for (const judgement of judgements) {
    const ranking = await search(judgement);
    const scores = measure(ranking, judgement.grades);
    measured.push({ kind: judgement.kind, scores });
    if (scores.reciprocalRank < 1) notFirst.push(`${judgement.q}: ${ranking.join(' ') || 'none'}`);
  }
  return { kinds: meanByKind(measured), notFirst };
}
