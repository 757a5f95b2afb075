import type { JobName, JobPayloads } from '../../shared/jobs/jobs.js';
import type { DeletionKind } from '../../shared/store/deletionRecord.js';
import { endDeletion } from '../../shared/store/deletions.js';
import { awaitSync } from './jobs/awaitSync.js';
import { deleteMessage } from './jobs/deleteMessage.js';
import { deleteChannel, deleteServer } from './jobs/deletePlaces.js';
import { deleteThread } from './jobs/deleteThread.js';
import { eraseUser } from './jobs/eraseUser.js';
import { importFile } from './jobs/importFile.js';
import { parsePayload } from './jobs/parsePayload.js';
import { refreshStats } from './jobs/refreshStats.js';
import { reindexViews } from './jobs/reindexViews.js';
import { retryQuarantined } from './jobs/retryQuarantined.js';
import { removeUploadsOf } from './quarantine/removeUploadsOf.js';
import { forgetFileNames } from './records/forgetFileNames.js';
import { REPORT_NOBODY, type Report } from './report.js';
import type { IndexerDeps } from './deps.js';
import { reindexSearch } from './search/reindexSearch.js';
import { verifyArchive } from './verify/verifyArchive.js';

/**
 * The index of the write side: one line a job. Each takes an unchecked payload and resolves with counts for the log.
 */
export type Handlers = Record<JobName, (payload: unknown, report?: Report) => Promise<unknown>>;

/** Every job's handler. */
export function createHandlers(deps: IndexerDeps): Handlers {
  return {
    'delete-thread': deletion(deps, 'thread', deleteThread),
    'delete-channel': deletion(deps, 'channel', deleteChannel),
    'delete-server': deletion(deps, 'server', deleteServer),
    'delete-message': deletion(deps, 'message', deleteMessage),
    'erase-user': (payload, report = REPORT_NOBODY) =>
      eraseUser(deps, parsePayload('erase-user', payload), report),
    'reindex-views': (_payload, report = REPORT_NOBODY) => reindexViews(deps, report),
    'refresh-stats': (payload) => refreshStats(deps, parsePayload('refresh-stats', payload)),
    'retry-quarantined': (payload) =>
      retryQuarantined(deps, parsePayload('retry-quarantined', payload)),
    'import-file': (payload) => importFile(deps, parsePayload('import-file', payload)),
    'reindex-search': (payload) => reindexSearch(deps, parsePayload('reindex-search', payload)),
    sync: (payload, report = REPORT_NOBODY) =>
      awaitSync(deps, parsePayload('sync', payload), report),
    verify: (payload, report = REPORT_NOBODY) =>
      verifyArchive(deps, { ...parsePayload('verify', payload), report }),
  };
}

/** The job of a deletion, which is forgotten when it was carried out. */
function deletion<Kind extends DeletionKind>(
  deps: IndexerDeps,
  kind: Kind,
  work: (
    deps: IndexerDeps,
    payload: JobPayloads[`delete-${Kind}`],
    report: Report,
  ) => Promise<object>,
): Handlers[`delete-${Kind}`] {
  return async (payload, report = REPORT_NOBODY) => {
    const parsed = parsePayload(`delete-${kind}`, payload);
    const result = await work(deps, parsed, report);
    const id = Object.values<string>(parsed)[0]!;
    const files = await removeUploadsOf(deps, id);
    await forgetFileNames(deps.collections);
    await endDeletion(deps.collections, kind, id);
    return { ...result, files };
  };
}
