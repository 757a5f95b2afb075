import type { Mongo } from '../../shared/platform/clients.js';
import type { Settings } from '../../shared/platform/env.js';
import { keepAuditIndex } from '../../shared/store/expireAudit.js';
import { ensureIndexes } from '../../shared/store/indexes.js';

/**
 * Creates every index that is missing. Indexes are lost when somebody drops the database while the indexer runs. An
 * index of the audit trail with another retention time stays, because an indexer that was started later has set it,
 * with another AUDIT_DAYS.
 */
export async function keepIndexes(
  { collections }: Pick<Mongo, 'collections'>,
  settings: Pick<Settings, 'AUDIT_DAYS'>,
): Promise<void> {
  await ensureIndexes(collections);
  await keepAuditIndex({ collections }, settings);
}
