import { setTimeout as pause } from 'node:timers/promises';
import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import {
  findRebuild,
  RebuildRunning,
  rebuildProgress,
} from '../../../shared/store/searchGenerations.js';
import type { SearchRebuild } from '../../../shared/store/state.js';
import { CliError } from '../cliError.js';
import { findObstacle } from '../findObstacle.js';
import { counted } from '../numbers.js';
import { createObstacleTeller } from '../obstacleTeller.js';
import type { Archive } from '../openArchive.js';
import { createProgress, type Progress } from '../progress.js';
import { requireMongo, requireQueue } from '../reachable.js';
import type { Result } from '../runCommand.js';

const POLL_MS = 250;
const STEPS = 1_000;

type Stores = Pick<Archive, 'elasticsearch' | 'mongo' | 'producer' | 'queue'>;

/** Asks for a rebuild of the search index, and waits for its end when `wait`. Throws CliError while one runs. */
export async function reindexSearch(archive: Stores, { wait }: { wait: boolean }): Promise<Result> {
  await requireMongo(archive);
  await requireQueue(archive);
  const { collections } = archive.mongo;
  const { rebuildId, jobId } = await requestSearchRebuild(collections, archive.producer).catch(
    (error: unknown) => {
      throw error instanceof RebuildRunning ? new CliError(error.message) : error;
    },
  );
  if (!wait) {
    return { jobId, json: { jobId, state: 'queued' }, lines: [`Queued as ${jobId}`], ok: true };
  }
  const progress = createProgress('reindex', STEPS, (done) => `${Math.floor(done / 10)}%`);
  try {
    return resultOf(jobId, await waitForRebuild(archive, rebuildId, progress));
  } finally {
    progress.stop();
  }
}

async function waitForRebuild(
  archive: Stores,
  rebuildId: string,
  progress: Progress,
): Promise<SearchRebuild> {
  const { collections } = archive.mongo;
  const teller = createObstacleTeller((line) => progress.say(line));
  teller.tell(await findObstacle(archive));
  let shown = 0;
  for (;;) {
    const rebuild = await findRebuild(collections, rebuildId);
    if (!rebuild) throw new CliError('The rebuild gave way to one that was asked for later');
    if (rebuild.state === 'done' || rebuild.state === 'failed') return rebuild;
    const done = Math.floor(rebuildProgress(rebuild) * STEPS);
    if (done > shown) teller.advanced();
    progress.advance(Math.max(0, done - shown));
    shown = Math.max(shown, done);
    await teller.look(() => findObstacle(archive));
    await pause(POLL_MS);
  }
}

function resultOf(jobId: string, rebuild: SearchRebuild): Result {
  const { state, to: index, threads, documents, mended, error } = rebuild;
  const line =
    state === 'done'
      ? `Rebuilt as ${index}: ${counted(threads, 'thread')}, ${counted(documents, 'document')}`
      : `Failed: ${error}`;
  const json = { jobId, state, index, threads, documents, mended, ...(error && { error }) };
  return { jobId, json, lines: [line], ok: state === 'done' };
}
