import type { Difference } from '../difference.js';
import type { ExpectedThread } from './expectThreads.js';

type Kind = Extract<
  Difference['kind'],
  'thread.wrong' | 'thread.shown' | 'search.wrong' | 'similar.wrong'
>;

/** Gathers what is wrong with each thread. However much of a thread differs, it becomes one difference of each kind. */
export interface ThreadProblems {
  /** `above`: a revision that what is built anew must exceed. */
  note(one: Pick<ExpectedThread, 'thread'>, kind: Kind, detail: string, above?: number): void;
  differences(): Difference[];
}

/** Details of one difference; more are only counted. */
const MOST_DETAILS = 5;

/** No problems yet. */
export function threadProblems(): ThreadProblems {
  const byKey = new Map<string, { difference: Difference; details: string[]; above: number }>();
  return {
    note({ thread: { _id: id, revision } }, kind, detail, above = 0) {
      const key = `${kind} ${id}`;
      const known = byKey.get(key) ?? {
        difference: { kind, id, detail: '', basis: String(revision) },
        details: [],
        above: 0,
      };
      byKey.set(key, known);
      known.details.push(detail);
      known.above = Math.max(known.above, above);
    },
    differences: () =>
      [...byKey.values()].map(({ difference, details, above }) => {
        const more = details.length - MOST_DETAILS;
        const told = details.sort().slice(0, MOST_DETAILS).join('; ');
        return {
          ...difference,
          detail: more > 0 ? `${told}; ${more} more` : told,
          clue: { above },
        };
      }),
  };
}
