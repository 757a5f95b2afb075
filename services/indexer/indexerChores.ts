import type { Producer } from '../../shared/jobs/producer.js';
import { refileLost } from '../../shared/jobs/refileLost.js';
import type { Settings } from '../../shared/platform/env.js';
import { isPartlyRestored, RESTORE_LOOK_MS } from '../../shared/store/restore.js';
import { markAgedMembers } from './build/buildPeople.js';
import type { IndexerDeps } from './deps.js';
import { refileWhenIdle } from './jobs/refileWhenIdle.js';
import { keepIndexes } from './keepIndexes.js';
import { askToLookThrough } from './mirror/lookThrough.js';
import { retryFiles } from './mirror/mirrorFiles.js';
import { watchViews } from './noteViews.js';
import { releaseHealed } from './quarantine/releaseHealed.js';
import { forgetFileNames } from './records/forgetFileNames.js';
import { dropRetained } from './search/dropRetained.js';
import { renewSearchIndex } from './search/renewSearchIndex.js';
import { removeOrphanPieces } from './stores/orphanPieces.js';
import { forgetLease } from './sync/lease.js';
import type { Round } from './work/backgroundLoop.js';
import { createChores } from './work/chores.js';

const RELEASE_EVERY_MS = 5_000;
const TIDY_EVERY_MS = 60_000;
/** How often (ms) the names of rejected files are looked through. There may be many of them. */
const NAMES_EVERY_MS = 3_600_000;
/** After this time (ms), a waiting file may have lost its job. */
const REFILE_AFTER_MS = 10 * 60_000;
/** The same while the queue has no job. It is longer than anybody takes between recording a file and filing its job. */
const REFILE_WHEN_IDLE_AFTER_MS = 10_000;
const LOOK_FOR_LOST_EVERY_MS = 5_000;

/** What the chores need beside the stores. */
export interface ChoreOptions {
  settings: Pick<Settings, 'AUDIT_DAYS' | 'DISCORD_BOT_TOKEN'>;
  /** Files lost jobs again, ends wrong delays, and asks for a rebuild of a lost search index. */
  producer: Pick<Producer, 'add' | 'refile' | 'endFarDelays' | 'counts'>;
}

/** Makes the round of all chores of an indexer. It does none of them while a restore writes records. */
export function indexerChores(deps: IndexerDeps, { settings, producer }: ChoreOptions): Round {
  const { collections } = deps;
  const chores = createChores([
    { everyMs: TIDY_EVERY_MS, run: watchViews(deps) },
    { everyMs: RELEASE_EVERY_MS, run: releaseHealed(deps) },
    {
      everyMs: LOOK_FOR_LOST_EVERY_MS,
      run: () => refileWhenIdle(collections, producer, REFILE_WHEN_IDLE_AFTER_MS),
    },
    { everyMs: TIDY_EVERY_MS, run: () => refileLost(collections, producer, REFILE_AFTER_MS) },
    { everyMs: TIDY_EVERY_MS, run: () => producer.endFarDelays() },
    { everyMs: TIDY_EVERY_MS, run: () => markAgedMembers(deps, new Date()) },
    { everyMs: TIDY_EVERY_MS, run: () => removeOrphanPieces(collections) },
    { everyMs: NAMES_EVERY_MS, run: () => forgetFileNames(collections) },
    { everyMs: TIDY_EVERY_MS, run: () => renewSearchIndex({ ...deps, producer }) },
    { everyMs: TIDY_EVERY_MS, run: () => dropRetained(deps) },
    { everyMs: TIDY_EVERY_MS, run: () => askToLookThrough(deps) },
    { everyMs: TIDY_EVERY_MS, run: () => retryFiles(deps) },
    { everyMs: TIDY_EVERY_MS, run: () => keepIndexes(deps, settings) },
    ...(settings.DISCORD_BOT_TOKEN === undefined
      ? [{ everyMs: TIDY_EVERY_MS, run: () => forgetLease(collections) }]
      : []),
  ]);
  return async () => ((await isPartlyRestored(collections)) ? RESTORE_LOOK_MS : chores());
}
