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
import { timeLimit } from '../timeLimit.js';
import { fileJob, queuedJob } from './fileJob.js';
import { withQueue } from './withQueue.js';

interface Deps {
  collections: Collections;
  producer: Producer;
}

/** POST /admin/reindex. Throws CONFLICT while a rebuild of the search index runs or waits, and UNAVAILABLE. */
export function reindex(deps: Deps): Handler<unknown, unknown, ReindexRequest> {
  return async ({ body: { target } }) => {
    const jobs: QueuedJob[] = [];
    if (target !== 'views') jobs.push(await rebuildSearch(deps));
    if (target !== 'search') jobs.push(await fileJob(deps.producer, 'reindex-views', {}));
    return jsonAnswer({ ...jobs[0], jobs });
  };
}

async function rebuildSearch({ collections, producer }: Deps): Promise<QueuedJob> {
  await withQueue(() => producer.counts());
  try {
    // Only the queue's own failures become UNAVAILABLE. RebuildRunning becomes CONFLICT below.
    const add: Producer['add'] = (name, payload) => withQueue(() => producer.add(name, payload));
    return queuedJob((await requestSearchRebuild(collections, { add })).jobId);
  } catch (error) {
    if (error instanceof RebuildRunning) throw new AppError('CONFLICT', error.message);
    throw error;
  }
}

/** POST /admin/servers/:serverId/stats/refresh. Throws NOT_FOUND, UNAVAILABLE. */
export function refreshStats({
  collections,
  producer,
}: Deps): Handler<{ serverId: string }, unknown> {
  return async ({ params: { serverId } }) => {
    const known = { _id: serverId, deleted: { $ne: true } };
    if ((await collections.servers.countDocuments(known, { limit: 1, ...timeLimit() })) === 0) {
      throw new AppError('NOT_FOUND', 'Server not found');
    }
    return jsonAnswer(await fileJob(producer, 'refresh-stats', { serverId }));
  };
}

/** POST /admin/verify. Throws UNAVAILABLE. */
export function verify({ producer }: Deps): Handler<unknown, unknown, VerifyRequest> {
  return async ({ body }) => jsonAnswer(await fileJob(producer, 'verify', body));
}

/** POST /admin/sync. Throws NOT_CONFIGURED where no indexer has a bot token, and UNAVAILABLE. */
export function sync({ collections, producer }: Deps): Handler<unknown, unknown, SyncRequest> {
  return async ({ body }) => {
    if (!(await stateOf(collections.state, 'sync').findOne({ _id: 'sync' }, timeLimit()))) {
      const message = 'There is no live source: set DISCORD_BOT_TOKEN, or import export files';
      throw new AppError('NOT_CONFIGURED', message);
    }
    await withQueue(() => producer.counts());
    const requestId = await requestSync(collections, body);
    return jsonAnswer(await fileJob(producer, 'sync', { requestId }));
  };
}
