import { runDeed } from '../runDeed.js';
import { reindexSearch } from './reindexSearch.js';
import { reindexViews } from './reindexViews.js';

/** Options of `reindex`: one of `search` and `views`. */
export interface ReindexOptions {
  search?: boolean;
  views?: boolean;
  wait?: boolean;
  json?: boolean;
}

/** Has the search index or every view built anew. */
export async function runReindex(options: ReindexOptions): Promise<void> {
  const [target, rebuild] = options.search
    ? (['search', reindexSearch] as const)
    : (['views', reindexViews] as const);
  const deed = { operation: 'reindex', params: { target } };
  await runDeed(options, deed, (archive) => rebuild(archive, { wait: options.wait !== false }));
}
