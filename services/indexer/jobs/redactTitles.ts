import { erasedPeople } from '../../../shared/store/erasures.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { eraseNames, textEraser } from '../../../shared/store/eraseText.js';
import { slices } from '../records/slices.js';
import type { Traces } from './findTraces.js';

const BATCH = 200;

/**
 * Takes somebody's names and ids out of the titles of threads, and marks these. What a title was is remembered as a
 * keyed hash, so that no source brings it back.
 */
export async function redactTitles(
  { collections, commit }: IndexerDeps,
  { threadIds, names }: Traces,
  cause: string,
): Promise<void> {
  const erased = await erasedPeople(collections);
  const { text } = textEraser(erased);
  const redact = (thread: ThreadRecord): ThreadRecord => {
    const plain = text(thread.title);
    const title = eraseNames(plain, names);
    if (thread.deleted || title === thread.title) return thread;
    const hashes = new Set([...(thread.redactedTitles ?? []), erased.digest(plain)]);
    return { ...thread, title, redactedTitles: [...hashes] };
  };
  for (const some of slices(threadIds, BATCH)) {
    await commit({
      reads: { threads: some },
      decide(documents) {
        for (const id of some) {
          const thread = documents.get('threads', id);
          const redacted = thread && redact(thread);
          if (!redacted || redacted === thread) continue;
          documents.put('threads', redacted);
          documents.mark('thread', id, { causes: [cause] });
        }
      },
    });
  }
}
