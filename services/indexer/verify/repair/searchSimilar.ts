import type { IndexerDeps } from '../../deps.js';
import { searchAgain } from '../../similar/refreshSimilar.js';
import type { Difference } from '../difference.js';

const AT_ONCE = 20;

/** Looks for similar threads again. */
export async function searchSimilar(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const ids = [...new Set(found.map(({ id }) => id))];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    await searchAgain(deps, ids.slice(start, start + AT_ONCE));
  }
}
