import type { JobName } from '../../shared/jobs/jobs.js';
import { deleteMessage } from './jobs/deleteMessage.js';
import { deleteChannel, deleteServer } from './jobs/deletePlaces.js';
import { deleteThread } from './jobs/deleteThread.js';
import { eraseUser } from './jobs/eraseUser.js';
import { importFile } from './jobs/importFile.js';
import { parsePayload } from './jobs/parsePayload.js';
import { refreshStats } from './jobs/refreshStats.js';
import { reindexViews } from './jobs/reindexViews.js';
import { retryQuarantined } from './jobs/retryQuarantined.js';
import { REPORT_NOBODY, type Report } from './report.js';
import type { IndexerDeps } from './deps.js';
import { reindexSearch } from './search/reindexSearch.js';
import { verifyArchive } from './verify/verifyArchive.js';

/** The index of the write side: one line a job. Each takes an unchecked payload and resolves with counts for the log. */
export type Handlers = Record<JobName, (payload: unknown, report?: Report) => Promise<unknown>>;

/** Every job's handler. */
export function createHandlers(deps: IndexerDeps): Handlers {
  return {
    'delete-thread': (payload) => deleteThread(deps, parsePayload('delete-thread', payload)),
    'delete-channel': (payload, report = REPORT_NOBODY) =>
      deleteChannel(deps, parsePayload('delete-channel', payload), report),
    'delete-server': (payload, report = REPORT_NOBODY) =>
      deleteServer(deps, parsePayload('delete-server', payload), report),
    'delete-message': (payload) => deleteMessage(deps, parsePayload('delete-message', payload)),
    'erase-user': (payload, report = REPORT_NOBODY) =>
      eraseUser(deps, parsePayload('erase-user', payload), report),
    'reindex-views': (_payload, report = REPORT_NOBODY) => reindexViews(deps, report),
    'refresh-stats': (payload) => refreshStats(deps, parsePayload('refresh-stats', payload)),
    'retry-quarantined': (payload) =>
      retryQuarantined(deps, parsePayload('retry-quarantined', payload)),
    'import-file': (payload) => importFile(deps, parsePayload('import-file', payload)),
    'reindex-search': (payload) => reindexSearch(deps, parsePayload('reindex-search', payload)),
    verify: (payload, report = REPORT_NOBODY) =>
      verifyArchive(deps, { ...parsePayload('verify', payload), report }),
  };
}
