import type { ViewsState } from './state.js';

/**
 * Describes which other renderers may have made some of the views, and what to do; null where all views are known to be
 * made by the renderer of the indexer.
 */
export function describeViews({ renderer, others }: ViewsState): string | null {
  if (others.length === 0) return null;
  const names = [...others].sort((a, b) => a - b).join(', ');
  const made = others.length === 1 ? `renderer ${names}` : `renderers ${names}`;
  return `Some may be made by ${made}, and the indexer has renderer ${renderer}: run forum-archive reindex --views`;
}
