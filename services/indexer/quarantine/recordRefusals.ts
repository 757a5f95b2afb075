import { failedMark, failureOf } from '../../../shared/store/quarantine.js';
import { markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { Refusal } from '../stores/sendBulk.js';

/** Records which documents the search index refused, so that operators see them. Counts the refusals of each. */
export async function recordRefusals(
  { commit, logger }: Pick<IndexerDeps, 'commit' | 'logger'>,
  refusals: Refusal[],
): Promise<void> {
  await commit({
    reads: { work: refusals.map(({ id }) => markId('document', id)) },
    decide(documents) {
      for (const { id, threadId, reason, revision } of refusals) {
        const before = documents.get('work', markId('document', id))?.failure;
        const failure = failureOf(before, {
          kind: 'document',
          subject: id,
          threadId,
          reason,
          revision: Math.max(before?.revision ?? 0, revision),
          count: (before?.count ?? 0) + 1,
        });
        documents.put('work', failedMark('document', id, failure));
      }
    },
  });
  for (const refused of refusals) logger.error(refused, 'The search index refused a document');
}
