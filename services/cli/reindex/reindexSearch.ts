import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import {
  findRebuild,
  RebuildRunning,
  rebuildProgress,
} from '../../../shared/store/searchGenerations.js';
import type { SearchRebuild } from '../../../shared/store/state.js';
import { CliError } from '../cliError.js';
import { counted } from '../numbers.js';
import { createProgress } from '../progress.js';
import { requireQueue } from '../reachable.js';
import type { Result } from '../runCommand.js';
import { waitForWork, type Watched } from '../waitForWork.js';

/**
 * Asks for a rebuild of the search index. With `wait`, it waits for the end. Throws CliError while another rebuild
 * runs.
 */
export async function reindexSearch(
  archive: Watched,
  { wait }: { wait: boolean },
): Promise<Result> {
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
  const progress = createProgress('reindex', 1);
  const look = () => lookAt(archive, rebuildId);
  try {
    return resultOf(jobId, await waitForWork(archive, { look, isAtOnce: true }, progress));
  } finally {
    progress.stop();
  }
}

async function lookAt(
  { mongo }: Watched,
  rebuildId: string,
): Promise<{ done: number; outcome?: SearchRebuild }> {
  const rebuild = await findRebuild(mongo.collections, rebuildId);
  if (!rebuild) throw new CliError('The rebuild gave way to one that was asked for later');
  const done = rebuildProgress(rebuild);
  const hasEnded = rebuild.state === 'done' || rebuild.state === 'failed';
  return { done, ...(hasEnded && { outcome: rebuild }) };
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
