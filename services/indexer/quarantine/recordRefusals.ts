import { writeAllGathered } from '../../../shared/store/gather.js';
import { quarantineId } from '../../../shared/store/quarantine.js';
import type { IndexerDeps } from '../deps.js';
import type { Refusal } from '../stores/sendBulk.js';

/** Keeps which documents the search index refused, so that operators see them; each counts its refusals. */
export async function recordRefusals(
  { collections, logger }: Pick<IndexerDeps, 'collections' | 'logger'>,
  refusals: Refusal[],
): Promise<void> {
  const now = new Date();
  const operations = refusals.map(({ id, threadId, revision, reason }) => ({
    updateOne: {
      filter: { _id: quarantineId('document', id) },
      update: {
        $set: { kind: 'document' as const, subject: id, threadId, reason, lastAt: now },
        $setOnInsert: { firstAt: now },
        $max: { revision },
        $inc: { count: 1 },
      },
      upsert: true,
    },
  }));
  await writeAllGathered(collections.quarantine, operations);
  for (const refused of refusals) logger.error(refused, 'The search index refused a document');
}
