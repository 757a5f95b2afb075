import {
  DIFFERENCES,
  type DifferenceKind,
  type VerifyReport,
} from '../../../shared/contract/verify.js';
import { counted, formatCount } from '../numbers.js';
import { safeText } from '../safeText.js';

/** Differences named one by one for people; `--json` gives more. */
const MOST_NAMED = 20;

/** A report for people: what was compared, each kind of difference with its meaning, and the first few by name. */
export function reportLines({ checked, counts, differences, repaired }: VerifyReport): string[] {
  const compared = ['threads', 'messages', 'bodies', 'documents', 'people']
    .map((name) => `${formatCount(checked[name] ?? 0)} ${name}`)
    .join(', ');
  const again = formatCount(checked['again'] ?? 0);
  const lookedAgain =
    again === '0' ? [] : [`Looked again at ${again}, which differed or were still to be built`];
  const kinds = Object.entries(counts) as [DifferenceKind, { found: number; mended: number }][];
  if (kinds.length === 0) return [`Compared ${compared}: all is as recorded`, ...lookedAgain];
  const total = kinds.reduce((sum, [, { found }]) => sum + found, 0);
  const named = differences.slice(0, MOST_NAMED);
  return [
    `Compared ${compared}: ${counted(total, 'difference')}, ${formatCount(repaired)} mended`,
    ...lookedAgain,
    ...kinds.map(([kind, count]) => kindLine(kind, count)),
    ...named.map(({ kind, id, detail, mended }) =>
      safeText(`${mended ? 'mended' : 'left'}: ${kind} ${id}: ${detail}`),
    ),
    ...(total > named.length ? [`… and ${formatCount(total - named.length)} more`] : []),
  ];
}

function kindLine(kind: DifferenceKind, { found, mended }: { found: number; mended: number }) {
  const left = mended === found ? 'all mended' : `${formatCount(found - mended)} left`;
  return `${formatCount(found).padStart(9)}  ${kind} (${left}): ${DIFFERENCES[kind]}`;
}
