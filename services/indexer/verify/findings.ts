import {
  LISTED_DIFFERENCES,
  type ReportedDifference,
  type VerifyReport,
} from '../../../shared/contract/verify.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import type { Difference } from './difference.js';

/** What a verification has found so far. */
export interface Findings {
  /** Counts what was compared. */
  tally: (name: string, amount: number) => void;
  /**
   * Adds the differences that were found. `left` are those that exist after mending, with new ones among them. The ids
   * of erased people are blanked.
   */
  add: (found: readonly Difference[], left: readonly Difference[], erased: ErasedPeople) => void;
  report: () => VerifyReport;
}

/** How many characters of a detail are reported at most. */
const DETAIL_CHARACTERS = 300;

/** Makes empty findings. */
export function createFindings(): Findings {
  const checked: VerifyReport['checked'] = {};
  const counts: VerifyReport['counts'] = {};
  const differences: ReportedDifference[] = [];
  let repaired = 0;
  let total = 0;
  const note = (difference: Difference, mended: boolean, erased: ErasedPeople): void => {
    const { kind } = difference;
    const id = withoutErased(difference.id, erased);
    const detail = withoutErased(difference.detail, erased);
    const count = (counts[kind] ??= { found: 0, mended: 0 });
    count.found += 1;
    count.mended += mended ? 1 : 0;
    total += 1;
    repaired += mended ? 1 : 0;
    if (differences.length >= LISTED_DIFFERENCES) return;
    differences.push({ kind, id, detail: detail.slice(0, DETAIL_CHARACTERS), mended });
  };
  return {
    tally(name, amount) {
      checked[name] = (checked[name] ?? 0) + amount;
    },
    add(found, left, erased) {
      const remaining = new Set(left.map(nameOf));
      for (const difference of found) note(difference, !remaining.has(nameOf(difference)), erased);
      const known = new Set(found.map(nameOf));
      for (const difference of left)
        if (!known.has(nameOf(difference))) note(difference, false, erased);
    },
    report: () => ({ clean: total === repaired, checked, counts, differences, repaired }),
  };
}

/** Blanks the ids of erased people, because erasures do not reach the stored report. */
function withoutErased(text: string, erased: ErasedPeople): string {
  if (erased.isEmpty) return text;
  return text.replace(/\d{15,20}/g, (id) => (erased.has(id) ? ERASED_ID : id));
}

function nameOf({ kind, id }: Difference): string {
  return `${kind} ${id}`;
}
