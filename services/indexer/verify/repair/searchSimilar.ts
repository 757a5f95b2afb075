import { setMarks } from '../../work/claims.js';
import type { IndexerDeps } from '../../deps.js';
import { finishAll } from '../../work/runMarks.js';
import type { Difference } from '../difference.js';
import { REPAIR } from './cause.js';

/** Looks for similar threads again. */
export async function searchSimilar(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const ids = [...new Set(found.map(({ id }) => id))];
  await setMarks(deps, 'similar', ids, REPAIR);
  await finishAll(deps, 'similar', ids);
}
