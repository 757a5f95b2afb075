import type { QueuedJob, ReindexRequest, SyncRequest } from '../../../shared/contract/admin.js';
import { AppError } from '../../../shared/contract/errors.js';
import type { VerifyRequest } from '../../../shared/contract/verify.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import type { Collections } from '../../../shared/store/collections.js';
import { stateOf } from '../../../shared/store/state.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { RebuildRunning } from '../../../shared/store/searchGenerations.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { fileJob, queuedJob } from './fileJob.js';
import { requireQueue, withQueue, type QueueDeps } from './withQueue.js';

interface Deps extends QueueDeps {
  collections: Collections;
}

/**
 * POST /admin/reindex: files jobs that build the views, the search index or both again. Throws UNAVAILABLE, and
 * CONFLICT where the search index is asked for while a rebuild of it waits or runs.
 */
export function reindex(deps: Deps): Handler<unknown, unknown, ReindexRequest> {
  return async ({ body: { target } }) => {
    const jobs: QueuedJob[] = [];
    if (target !== 'views') jobs.push(await rebuildSearch(deps));
    if (target !== 'search') jobs.push(await fileJob(deps, 'reindex-views', {}));
    return jsonAnswer({ ...jobs[0], jobs });
  };
}

async function rebuildSearch(deps: Deps): Promise<QueuedJob> {
  const { collections, producer } = deps;
  await requireQueue(deps);
  try {
    // `withQueue` turns every failure into UNAVAILABLE. So it is put around the queue alone, and not around MongoDB.
    const add: Producer['add'] = (name, payload) =>
      withQueue(deps, () => producer.add(name, payload));
    return queuedJob((await requestSearchRebuild(collections, { add })).jobId);
  } catch (error) {
    if (error instanceof RebuildRunning) throw new AppError('CONFLICT', error.message);
    throw error;
  }
}

/** POST /admin/servers/:serverId/stats/refresh: files a job that counts a server. Throws NOT_FOUND and UNAVAILABLE. */
export function refreshStats(deps: Deps): Handler<{ serverId: string }, unknown> {
  return async ({ params: { serverId } }) => {
    const known = { _id: serverId, deleted: { $ne: true } };
    if ((await deps.collections.servers.countDocuments(known, { limit: 1 })) === 0) {
      throw new AppError('NOT_FOUND', 'Server not found');
    }
    return jsonAnswer(await fileJob(deps, 'refresh-stats', { serverId }));
  };
}

/** POST /admin/verify: files a job that compares what readers get with the records. Throws UNAVAILABLE. */
export function verify(deps: QueueDeps): Handler<unknown, unknown, VerifyRequest> {
  return async ({ body }) => jsonAnswer(await fileJob(deps, 'verify', body));
}

/**
 * POST /admin/sync: files a job that fetches what is new from the platform. Throws UNAVAILABLE, and NOT_CONFIGURED
 * where no indexer has a bot token.
 */
export function sync(deps: Deps): Handler<unknown, unknown, SyncRequest> {
  const { collections } = deps;
  return async ({ body }) => {
    if (!(await stateOf(collections.state, 'sync').findOne({ _id: 'sync' }))) {
      const message = 'No indexer has a bot token: set DISCORD_BOT_TOKEN, or import export files';
      throw new AppError('NOT_CONFIGURED', message);
    }
    await requireQueue(deps);
    const requestId = await requestSync(collections, body);
    return jsonAnswer(await fileJob(deps, 'sync', { requestId }));
  };
}
