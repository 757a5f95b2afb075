import type { Difference } from '../difference.js';
import type { ExpectedThread } from './expectThreads.js';

type Kind = Extract<
  Difference['kind'],
  'thread.wrong' | 'thread.shown' | 'search.wrong' | 'similar.wrong'
>;

/** Gathers what is wrong with threads. All problems of one kind with a thread become one difference. */
export interface ThreadProblems {
  /** Notes a problem. `above`: a new build must have a greater revision than this. */
  note(one: Pick<ExpectedThread, 'thread'>, kind: Kind, detail: string, above?: number): void;
  differences(): Difference[];
}

/** How many details one difference lists. Further ones are only counted. */
const MOST_DETAILS = 5;

/** Makes an empty gathering of problems. */
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
