import type { ChannelRecord } from '../../../shared/store/records.js';
import { hollowThread } from '../records/tombstones.js';
import type { SyncDeps } from './syncDeps.js';

/** What was said in a forum that is not public any more is removed after this time (ms). */
const KEPT_MS = 12 * 3_600_000;
/** Messages removed at once. */
const AT_ONCE = 500;

/**
 * Removes what was said in a forum that has long been withheld. Unlike a deletion this can be taken back: when the
 * forum is public again, everything is fetched again. What was deleted or erased here is remembered, and stays away
 * then, too.
 */
export async function removeWithheld(
  deps: Pick<SyncDeps, 'collections' | 'commit' | 'signal'>,
  { _id: channelId, withheldAt }: ChannelRecord,
): Promise<void> {
  if (!withheldAt || Date.now() - withheldAt.getTime() < KEPT_MS) return;
  const { threads, threadItems } = deps.collections;
  const full = threads.find({ channelId, deleted: { $ne: true }, asOf: { $gt: 0 } });
  for await (const { _id: threadId } of full.project<{ _id: string }>({ _id: 1 })) {
    // What readers saw of it is removed first, by the build of a withheld thread.
    if (await threadItems.findOne({ _id: threadId })) continue;
    await removeMessages(deps, threadId);
    await deps.commit({
      reads: { threads: [threadId] },
      decide(documents) {
        const thread = documents.get('threads', threadId);
        if (thread && !thread.deleted) documents.put('threads', hollowThread(thread));
      },
    });
  }
}

async function removeMessages(
  {
    collections: { messages },
    commit,
    signal,
  }: Pick<SyncDeps, 'collections' | 'commit' | 'signal'>,
  threadId: string,
): Promise<void> {
  for (;;) {
    const some = await messages
      .find({ threadId, deleted: { $ne: true } }, { projection: { _id: 1 } })
      .limit(AT_ONCE)
      .toArray();
    if (some.length === 0) return;
    signal.throwIfAborted();
    const ids = some.map(({ _id }) => _id);
    await commit({
      reads: { messages: ids },
      decide(documents) {
        for (const id of ids)
          if (!documents.get('messages', id)?.deleted) documents.remove('messages', id);
      },
    });
  }
}
