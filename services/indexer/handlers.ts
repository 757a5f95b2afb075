import type { JobName } from '../../shared/jobs/jobs.js';
import { importFile } from './jobs/importFile.js';
import { parsePayload } from './jobs/parsePayload.js';
import type { IndexerDeps } from './deps.js';
import { reindexSearch } from './search/reindexSearch.js';

/** The index of the write side: one line a job. Each takes an unchecked payload and resolves with counts for the log. */
export type Handlers = Record<JobName, (payload: unknown) => Promise<unknown>>;

/** Every job's handler. */
export function createHandlers(deps: IndexerDeps): Handlers {
  return {
    'import-file': (payload) => importFile(deps, parsePayload('import-file', payload)),
    'reindex-search': (payload) => reindexSearch(deps, parsePayload('reindex-search', payload)),
  };
}
