import { requestErasure } from '../../../../shared/store/erasures.js';
import type { IndexerDeps } from '../../deps.js';
import { eraseUser } from '../../jobs/eraseUser.js';
import { REPORT_NOBODY } from '../../report.js';
import type { Difference } from '../difference.js';

/** Erases people again, of whom something has come back. */
export async function eraseAgain(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const userIds = new Set(found.flatMap(({ clue }) => clue?.userId ?? []));
  for (const userId of userIds) {
    const erasureId = await requestErasure(deps.collections, userId);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
  }
}
