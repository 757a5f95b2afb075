/** How well one ranking answers a query. Each measure is from 0 to 1. */
export interface Scores {
  /** The part of the judged threads that is among the first ten. */
  recall: number;
  /** 1 / the place of the first judged thread; 0 where none is among the first ten. */
  reciprocalRank: number;
  /** The sum of the gains, discounted by place, divided by that of the best possible order. */
  ndcg: number;
}

/** How many places of a ranking count. */
export const DEPTH = 10;

/** Measures a ranking of thread ids by grades (1 to 3, by thread id). */
export function measure(ranking: readonly string[], grades: Record<string, number>): Scores {
  const found = ranking.slice(0, DEPTH).map((id) => grades[id] ?? 0);
  const judged = Object.values(grades).sort((a, b) => b - a);
  const first = found.findIndex((grade) => grade > 0);
  return {
    recall: found.filter((grade) => grade > 0).length / Math.min(judged.length, DEPTH),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    ndcg: gain(found) / gain(judged.slice(0, DEPTH)),
  };
}

/** The scores of one query, with its kind. */
export interface Measured<T> {
  kind: string;
  scores: T;
}

/**
 * The mean of each measure by kind, in the order in which the kinds first occur. The means of all come last, as `all`.
 */
export function meanByKind<T extends Record<keyof T, number>>(
  measured: readonly Measured<T>[],
): Map<string, T & { queries: number }> {
  const kinds = new Set(measured.map(({ kind }) => kind)).add('all');
  return new Map(
    [...kinds].map((kind) => {
      const ofKind = measured.filter((one) => kind === 'all' || one.kind === kind);
      return [kind, { ...mean(ofKind.map(({ scores }) => scores)), queries: ofKind.length }];
    }),
  );
}

function mean<T extends Record<keyof T, number>>(all: readonly T[]): T {
  const names = Object.keys(all[0] ?? {}) as (keyof T)[];
  const average = (name: keyof T): number =>
    all.reduce((sum, scores) => sum + scores[name], 0) / all.length;
  return Object.fromEntries(names.map((name) => [name, average(name)])) as T;
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0);
}
