import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import type { IndexerDeps } from '../deps.js';
import { withTitle } from '../records/redactTitle.js';
import { UNTITLED } from '../records/tombstones.js';
import { cleanThread, cleanWords, isEmptied } from './cleanRecords.js';
import { countedMessages } from './threadMessages.js';

type Deps = Pick<IndexerDeps, 'collections' | 'commit'>;

/**
 * Takes away the title of a thread in which only erased people have written. The thread itself stays, since more of it
 * may still be imported. Only an erasure removes such a thread.
 */
export async function redactErasedThread(
  deps: Deps,
  threadId: string,
  causes: readonly string[],
): Promise<void> {
  const erased = await erasedPeople(deps.collections);
  if (erased.isEmpty) return;
  const thread = await cleanThread(deps, threadId, erased);
  if (!thread || thread.deleted) return;
  if (thread.ownerId !== undefined && thread.ownerId !== ERASED_ID) return;
  // Most threads end here: somebody who was not erased has written in them.
  const said = await countedMessages(deps.collections, threadId).limit(1).next();
  if (said && !erased.has(said.author.id)) return;
  await cleanWords(deps, threadId, erased);
  await redactIfEmptied(deps, thread, erased, causes);
}

/**
 * Takes away the title of a thread that an erased person started, and in which nobody else has written so far: the
 * title is the person's words, too. A keyed hash of the title is kept, so that no source brings it back. The thread
 * itself stays, so that messages of others are taken, in whatever order the sources come.
 */
export async function redactIfEmptied(
  deps: Deps,
  thread: ThreadRecord,
  erased: ErasedPeople,
  causes: readonly string[],
): Promise<void> {
  const { _id: threadId } = thread;
  if (thread.title === UNTITLED || !(await isEmptied(deps, thread))) return;
  await deps.commit({
    reads: { threads: [threadId] },
    decide(documents) {
      const now = documents.get('threads', threadId);
      if (!now || now.deleted || now.title === UNTITLED) return;
      documents.put('threads', withTitle(now, UNTITLED, erased));
      // Another source may have brought messages of others meanwhile, so the thread may be shown already.
      documents.mark('thread', threadId, { causes });
    },
  });
}
