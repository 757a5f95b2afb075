import { quarantineId, type QuarantineRecord } from '../../../shared/store/quarantine.js';
import type { IndexerDeps } from '../deps.js';

const MOST_REASON = 300;

/** Keeps that a thread or file is set aside, and says so in the log. */
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
  logger.error({ kind, subject, reason, count: failure.count }, 'Set aside: it fails every time');
}
