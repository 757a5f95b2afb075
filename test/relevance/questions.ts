import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import Joi from 'joi';
import { DEPTH, meanByKind, type Measured } from './metrics.js';
import { readChecked } from './readChecked.js';

/** The files of judged questions. The archive of the radio community is not part of the project. */
export const QUESTION_SETS = {
  sample: 'test/relevance/questions.sample.json',
  radio: 'test/relevance/questions.radio.json',
} as const;

/** A question as people type it, with the threads and messages that are of use. Grade 2 answers it, and 1 helps. */
export interface Question {
  kind: string;
  q: string;
  /** Grades by thread id. */
  threads: Record<string, number>;
  /** Grades by message id. */
  messages: Record<string, number>;
}

/** Judged questions about one server. */
export interface QuestionSet {
  about: string;
  serverId: string;
  questions: Question[];
}

const grades = Joi.object<Record<string, number>>()
  .pattern(/^\d{1,20}$/, Joi.number().integer().min(1).max(2))
  .required();

const schema = Joi.object<QuestionSet, true>({
  about: Joi.string().required(),
  serverId: Joi.string().required(),
  questions: Joi.array()
    .items(
      Joi.object<Question, true>({
        kind: Joi.string().required(),
        q: Joi.string().required(),
        threads: grades,
        messages: grades,
      }),
    )
    .min(1)
    .required(),
});

/** Reads a file of judged questions. Throws an error that names what is wrong with it. */
export function readQuestions(file: string | URL): QuestionSet {
  return readChecked(file, schema);
}

/** A thread or message in a ranking. */
interface Result {
  id: string;
  score: number;
  createdAt: string;
}

interface Part {
  threads: Result[];
  messages: Result[];
}

/** The parts of an answer of GET /search that are read. Some versions of the API have no `related`. */
export interface Answer {
  results: Part;
  related?: Part;
}

/** One place of a ranking. */
export interface Place {
  kind: keyof Part;
  id: string;
}

/** Makes one ranking of an answer: the results of both kinds by score, and then the related ones by score. */
export function rank({ results, related }: Answer): Place[] {
  return [...rankPart(results), ...(related ? rankPart(related) : [])];
}

/**
 * Sorts by score. Of equal scores the newest comes first, then the higher id, then the thread before its message, as in
 * the API.
 */
function rankPart({ threads, messages }: Part): Place[] {
  const places = [
    ...threads.map((result) => ({ ...result, kind: 'threads' as const })),
    ...messages.map((result) => ({ ...result, kind: 'messages' as const })),
  ];
  return places
    .sort(
      (left, right) =>
        right.score - left.score ||
        right.createdAt.localeCompare(left.createdAt) ||
        Number(BigInt(right.id) - BigInt(left.id)),
    )
    .map(({ kind, id }) => ({ kind, id }));
}

/** How well one ranking serves a question. Each measure is from 0 to 1. */
export interface QuestionScores {
  /** 1 where something that answers or helps is among the first ten. */
  found: number;
  /** 1 where something that answers is among the first ten. */
  answered: number;
  /** 1 / the place of the first thread or message that answers or helps; 0 where none is among the first ten. */
  reciprocalRank: number;
}

/** The headings of a table of QuestionScores. */
export const QUESTION_COLUMNS = {
  'found@10': 'found',
  'answered@10': 'answered',
  MRR: 'reciprocalRank',
} as const;

/** Measures a ranking by the grades of a question. */
export function measurePlaces(
  places: readonly Place[],
  question: Pick<Question, 'threads' | 'messages'>,
): QuestionScores {
  const grades = places.slice(0, DEPTH).map(({ kind, id }) => question[kind][id] ?? 0);
  const first = grades.findIndex((grade) => grade > 0);
  return {
    found: first < 0 ? 0 : 1,
    answered: grades.includes(2) ? 1 : 0,
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
  };
}

/** The results of judged questions: by kind and for `all`, and the questions for which nothing useful was found. */
export interface QuestionReport {
  kinds: Map<string, QuestionScores & { queries: number }>;
  missed: string[];
}

/** Asks every question for its first ten results, and measures the answers. `get` reads a path of the API. */
export async function askQuestions(
  { serverId, questions }: QuestionSet,
  get: (path: string) => Promise<Answer>,
): Promise<QuestionReport> {
  const measured: Measured<QuestionScores>[] = [];
  const missed: string[] = [];
  for (const question of questions) {
    const query = new URLSearchParams({ q: question.q, serverId, limit: String(DEPTH) });
    const scores = measurePlaces(rank(await get(`/api/search?${query}`)), question);
    measured.push({ kind: question.kind, scores });
    if (scores.found === 0) missed.push(question.q);
  }
  return { kinds: meanByKind(measured), missed };
}

/**
 * The folder of the exports that the questions of the radio community are about: RELEVANCE_EXPORTS, or else
 * `shared/data` beside the project's folder. Undefined where there is neither. Throws where the named folder does not
 * exist.
 */
export function findRadioExports(
  env: { RELEVANCE_EXPORTS?: string | undefined },
  project: string,
): string | undefined {
  const named = env.RELEVANCE_EXPORTS;
  if (named !== undefined && !existsSync(named))
    throw new Error(`RELEVANCE_EXPORTS names a folder that does not exist: ${named}`);
  const beside = resolve(project, '..', 'shared', 'data');
  return named ?? (existsSync(beside) ? beside : undefined);
}
