/**
 * A process that builds until nothing is left to be built, or does the job that the second argument names. Loading the
 * messages of the thread that the first argument names ends the process, as running out of memory would.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { reindexSearch } from '../../services/indexer/search/reindexSearch.js';
import { runDue } from '../../services/indexer/work/runMarks.js';
import { NEVER } from '../../shared/store/work.js';
import { deleteMessage } from '../../services/indexer/jobs/deleteMessage.js';
import { eraseUser } from '../../services/indexer/jobs/eraseUser.js';
import { importFile } from '../../services/indexer/jobs/importFile.js';
import { REPORT_NOBODY } from '../../services/indexer/report.js';
import { createMongo, createRedis } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../shared/platform/env.js';
import { createLogger } from '../../shared/platform/logger.js';
import { indexerDeps } from './indexerDeps.js';
import { poisoned } from './poison.js';

const [threadId = '', job = 'build', subject = ''] = process.argv.slice(2);
const settings = readSettings();
const mongo = createMongo(settings, { timeoutMs: 120_000, poolSize: 20 });
const elasticsearch = createElasticsearch(settings, { timeoutMs: 120_000 });
const redis = createRedis(settings.REDIS_URL, { timeoutMs: 120_000 });
redis.on('error', () => undefined);
const logger = createLogger('indexer', 'silent');
const deps = indexerDeps({ mongo, elasticsearch, redis, logger });
const deadly = poisoned(deps, threadId, () => process.kill(process.pid, 'SIGKILL'));

const jobs: Record<string, () => Promise<unknown>> = {
  import: () => importFile(deadly, { uploadId: subject, importId: 'import' }),
  delete: () => deleteMessage(deadly, { messageId: subject }),
  rebuild: () => reindexSearch(deadly, { rebuildId: subject }),
  erase: () => eraseUser(deadly, { erasureId: subject }, REPORT_NOBODY),
  async build() {
    const waiting = { kind: 'thread', due: { $ne: NEVER } } as const;
    while (await deps.collections.work.findOne(waiting))
      if ((await runDue(deadly)) !== true) await pause(50);
  },
};
await jobs[job]!();
process.exit(0);
