import type { ViewsState } from './state.js';

/**
 * Describes with what else some of the views may be made, and what to do; null where all views are known to be made as
 * the indexer makes them now.
 */
export function describeViews({ others }: Pick<ViewsState, 'others'>): string | null {
  if (others.length === 0) return null;
  const names = others.map((other) => (typeof other === 'number' ? `renderer ${other}` : other));
  return `Some may be made with ${names.sort().join(' and ')}: run forum-archive reindex --views`;
}
