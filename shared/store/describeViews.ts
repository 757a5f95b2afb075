import type { ViewsState } from './state.js';

/**
 * Names the other settings and renderers with which some of the stored views may have been made, and the command that
 * builds these views again. Null where all views are known to be as the indexer makes them now.
 */
export function describeViews({ others }: Pick<ViewsState, 'others'>): string | null {
  if (others.length === 0) return null;
  const names = others.map((other) => (typeof other === 'number' ? `renderer ${other}` : other));
  return `Some may be made with ${names.sort().join(' and ')}: run forum-archive reindex --views`;
}
