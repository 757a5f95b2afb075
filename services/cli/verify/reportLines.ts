import {
  DIFFERENCES,
  type DifferenceKind,
  type VerifyReport,
} from '../../../shared/contract/verify.js';
import { counted, formatCount } from '../numbers.js';

/** The most differences that are named one by one for people. `--json` gives more. */
const MOST_NAMED = 20;

/**
 * A report in lines for people: what was compared, each kind of difference with its meaning, and the first few by name.
 */
export function reportLines({ checked, counts, differences, repaired }: VerifyReport): string[] {
  const first = ['threads', 'messages', 'bodies', 'documents', 'people']
    .map((name) => `${formatCount(checked[name] ?? 0)} ${name}`)
    .join(', ');
  // Most of what differed at first was still being built.
  const { again = 0 } = checked;
  const compared = again === 0 ? first : `${first}, and ${formatCount(again)} in a second look`;
  const kinds = Object.entries(counts) as [DifferenceKind, { found: number; mended: number }][];
  if (kinds.length === 0) return [`Compared ${compared}: all is as recorded`];
  const total = kinds.reduce((sum, [, { found }]) => sum + found, 0);
  const named = differences.slice(0, MOST_NAMED);
  return [
    `Compared ${compared}: ${counted(total, 'difference')}, ${formatCount(repaired)} mended`,
    ...kinds.map(([kind, count]) => kindLine(kind, count)),
    ...named.map(
      ({ kind, id, detail, mended }) => `${mended ? 'mended' : 'left'}: ${kind} ${id}: ${detail}`,
    ),
    ...(total > named.length ? [`… and ${formatCount(total - named.length)} more`] : []),
  ];
}

function kindLine(kind: DifferenceKind, { found, mended }: { found: number; mended: number }) {
  const left = mended === found ? 'all mended' : `${formatCount(found - mended)} left`;
  return `${formatCount(found).padStart(9)}  ${kind} (${left}): ${DIFFERENCES[kind]}`;
}
