import type { VerifyReport } from '../../../shared/contract/verify.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import type { IndexerDeps } from '../deps.js';
import { noteAllMade } from '../noteViews.js';
import { REPORT_NOBODY, type Report } from '../report.js';
import type { Area, AreaContext } from './area.js';
import { awaitWork } from './awaitWork.js';
import { confirm, lookAgain } from './confirm.js';
import type { Difference } from './difference.js';
import { createFindings, type Findings } from './findings.js';
import { leftoversArea } from './leftovers/leftoversArea.js';
import { peopleArea } from './people/peopleArea.js';
import { mend } from './repair/mend.js';
import { completeIndexes, refreshIndexes } from './searchIndexes.js';
import { serversArea } from './servers/serversArea.js';
import { threadsArea } from './threads/threadsArea.js';

/** How a verification works. */
export interface VerifyOptions {
  /** Whether differences are mended. */
  repair: boolean;
  /** How long (ms) marked work may stand still before it counts as forgotten. */
  patienceMs: number;
  /** Is told how many things have been looked at. */
  report: Report;
}

/** The areas in the order in which they are verified: views of threads first, then what is counted from them. */
const AREAS: readonly ((context: AreaContext) => Area)[] = [
  threadsArea,
  peopleArea,
  serversArea,
  leftoversArea,
];

const DEFAULTS: VerifyOptions = {
  repair: false,
  patienceMs: 30_000,
  report: REPORT_NOBODY,
};

/** How many differences are looked at again together. This bounds the memory for an archive with many differences. */
const SUSPECTS = 5_000;
/** How many windows are looked at together. While the stores answer for some, another one is folded and compared. */
const WINDOWS = 3;

/**
 * Compares everything that readers can get with the records. What differs is looked at again, after the work that was
 * marked meanwhile has been done. What then differs in the same way is reported. With `repair` it is also mended, and
 * looked at once more. The memory needed does not grow with the archive. Throws SearchIndexLost where there is no index
 * to compare.
 */
export async function verifyArchive(
  deps: IndexerDeps,
  options: Partial<VerifyOptions> = {},
): Promise<VerifyReport> {
  const settings = { ...DEFAULTS, ...options };
  const findings = createFindings();
  const indexes = await completeIndexes(deps);
  await refreshIndexes(deps, indexes);
  const areas = AREAS.map((createArea) => createArea({ deps, indexes, tally: findings.tally }));
  const progress = await startProgress(areas, settings.report);
  for (const [n, area] of areas.entries()) {
    /** Waits for work under way. Resolves with the same area as it is then, when searches may use other indexes. */
    const settle = async (): Promise<Area> => {
      await awaitWork(deps, settings.patienceMs);
      const indexesNow = await completeIndexes(deps);
      await refreshIndexes(deps, indexesNow);
      return AREAS[n]!({ deps, indexes: indexesNow, tally: () => undefined });
    };
    const { repair } = settings;
    const judge = (suspects: Difference[]) =>
      judgeSuspects({ deps, repair, findings, settle }, suspects);
    const suspects: Difference[] = [];
    await forEachAtOnce(area.windows(), WINDOWS, async (window) => {
      suspects.push(...(await area.look(window)));
      progress(findings.report().checked);
      if (suspects.length >= SUSPECTS) await judge(suspects.splice(0));
    });
    await judge(suspects);
  }
  const found = findings.report();
  if (found.clean) await noteAllMade(deps);
  return found;
}

/** Confirms suspected differences, mends them where that is asked for, and adds them to the findings. */
async function judgeSuspects(
  {
    deps,
    repair,
    findings,
    settle,
  }: { deps: IndexerDeps; repair: boolean; findings: Findings; settle: () => Promise<Area> },
  suspects: Difference[],
): Promise<void> {
  if (suspects.length === 0) return;
  findings.tally('again', new Set(suspects.map(({ id }) => id)).size);
  const found = await confirm(suspects, settle);
  const left = repair ? await mendAll(deps, found, settle) : found;
  findings.add(found, left, await erasedPeople(deps.collections));
}

/** Mends differences. Resolves with the differences that are left or new. */
async function mendAll(
  deps: IndexerDeps,
  found: Difference[],
  settle: () => Promise<Area>,
): Promise<Difference[]> {
  if (found.length === 0) return [];
  await mend(deps, found);
  return confirm(await lookAgain(await settle(), found), settle);
}

/** Resolves with a function that reports how far the verification has come, by what was compared. */
async function startProgress(
  areas: Area[],
  report: Report,
): Promise<(checked: Record<string, number>) => void> {
  const totals = await Promise.all(areas.map((area) => area.total()));
  const total = totals.reduce((sum, some) => sum + some, 0);
  return (checked) => {
    const done = areas.reduce((sum, { name }) => sum + (checked[name] ?? 0), 0);
    report(Math.min(done, total), total);
  };
}
