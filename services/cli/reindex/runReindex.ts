import { runAudited } from '../runAudited.js';
import { reindexSearch } from './reindexSearch.js';
import { reindexViews } from './reindexViews.js';

/** Options of `reindex`: one of `search` and `views`. */
export interface ReindexOptions {
  search?: boolean;
  views?: boolean;
  wait?: boolean;
  json?: boolean;
}

/** Asks for the search index or all views to be built again. */
export async function runReindex(options: ReindexOptions): Promise<void> {
  const [target, rebuild] = options.search
    ? (['search', reindexSearch] as const)
    : (['views', reindexViews] as const);
  const entry = { operation: 'reindex', params: { target } };
  await runAudited(options, entry, (archive) => rebuild(archive, { wait: options.wait !== false }));
}
