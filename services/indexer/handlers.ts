import type { JobName, JobPayloads } from '../../shared/jobs/jobs.js';
import type { DeletionKind } from '../../shared/store/deletionRecord.js';
import { endDeletion } from '../../shared/store/deletions.js';
import { isPartlyRestored, RESTORE_LOOK_MS } from '../../shared/store/restore.js';
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
import { LookAgain } from './permanentErrors.js';
import { removeUploadsOf } from './quarantine/removeUploadsOf.js';
import { forgetFileNames } from './records/forgetFileNames.js';
import { REPORT_NOBODY, type Report } from './report.js';
import type { IndexerDeps } from './deps.js';
import { reindexSearch } from './search/reindexSearch.js';
import { verifyArchive } from './verify/verifyArchive.js';

/** The work of each job. It is given the checked payload, and resolves with counts for the log. */
type Work = {
  [Name in JobName]: (payload: JobPayloads[Name], report: Report) => Promise<unknown>;
};

/**
 * Does a job. Throws PayloadError where the payload does not fit the job, and LookAgain while a restore writes records.
 */
type Handler = (payload: unknown, report?: Report) => Promise<unknown>;

/** The handler of each job. */
export type Handlers = Record<JobName, Handler>;

/** Makes the handler of each job. */
export function createHandlers(deps: IndexerDeps): Handlers {
  const work: Work = {
    'delete-thread': deletion(deps, 'thread', deleteThread),
    'delete-channel': deletion(deps, 'channel', deleteChannel),
    'delete-server': deletion(deps, 'server', deleteServer),
    'delete-message': deletion(deps, 'message', deleteMessage),
    'erase-user': (payload, report) => eraseUser(deps, payload, report),
    'reindex-views': (_payload, report) => reindexViews(deps, report),
    'refresh-stats': (payload) => refreshStats(deps, payload),
    'retry-quarantined': (payload) => retryQuarantined(deps, payload),
    'import-file': (payload) => importFile(deps, payload),
    'reindex-search': (payload) => reindexSearch(deps, payload),
    sync: (payload, report) => awaitSync(deps, payload, report),
    verify: (payload, report) => verifyArchive(deps, { ...payload, report }),
  };
  const names = Object.keys(work) as JobName[];
  return Object.fromEntries(
    names.map((name) => [name, checked(deps, name, work[name])]),
  ) as Handlers;
}

function checked<Name extends JobName>(deps: IndexerDeps, name: Name, work: Work[Name]): Handler {
  return async (payload, report = REPORT_NOBODY) => {
    const parsed = parsePayload(name, payload);
    if (await isPartlyRestored(deps.collections)) throw new LookAgain(RESTORE_LOOK_MS);
    return work(parsed, report);
  };
}

/** Makes the work of a deletion job. The record of the deletion is removed when it has been carried out. */
function deletion<Kind extends DeletionKind>(
  deps: IndexerDeps,
  kind: Kind,
  work: (
    deps: IndexerDeps,
    payload: JobPayloads[`delete-${Kind}`],
    report: Report,
  ) => Promise<object>,
) {
  return async (payload: JobPayloads[`delete-${Kind}`], report: Report) => {
    const result = await work(deps, payload, report);
    const id = Object.values<string>(payload)[0]!;
    const files = await removeUploadsOf(deps, id);
    await forgetFileNames(deps.collections);
    await endDeletion(deps.collections, kind, id);
    return { ...result, files };
  };
}
