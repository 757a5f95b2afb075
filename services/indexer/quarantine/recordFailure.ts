import { quarantineId, type QuarantineRecord } from '../../../shared/store/quarantine.js';
import type { IndexerDeps } from '../deps.js';

const MOST_REASON = 300;

/** Records that a thread or file is quarantined, and says so in the log. */
export async function recordFailure(
  { collections, logger }: Pick<IndexerDeps, 'collections' | 'logger'>,
  failure: Omit<QuarantineRecord, '_id' | 'firstAt' | 'lastAt'>,
): Promise<void> {
  const { kind, subject } = failure;
  const now = new Date();
  const reason = failure.reason.slice(0, MOST_REASON);
  await collections.quarantine.updateOne(
    { _id: quarantineId(kind, subject) },
    { $set: { ...failure, reason, lastAt: now }, $setOnInsert: { firstAt: now } },
    { upsert: true },
  );
  logger.error({ kind, subject, reason, count: failure.count }, 'Quarantined: it fails every time');
}
