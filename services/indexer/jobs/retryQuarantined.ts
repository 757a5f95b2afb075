import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { IndexerDeps } from '../deps.js';
import { raiseRevisions } from '../records/threadRevision.js';

/** Has what was set aside tried again, as if it were new. Done when that has been asked for. */
export async function retryQuarantined(
  { collections }: Pick<IndexerDeps, 'collections'>,
  { quarantineId }: JobPayloads['retry-quarantined'],
): Promise<{ retried: number }> {
  const { quarantine, threads } = collections;
  const record = await quarantine.findOne({ _id: quarantineId });
  if (!record) return { retried: 0 };
  if (record.threadId !== null) await raiseRevisions(threads, [record.threadId]);
  return { retried: 1 };
}
