import { pagesById } from '../../../shared/store/pagesById.js';
import type { ChannelRecord } from '../../../shared/store/records.js';
import { markId, NEVER } from '../../../shared/store/work.js';
import { hollowThread } from '../records/tombstones.js';
import type { Change, Documents } from '../work/change.js';
import { rest } from '../rest.js';
import { commitHeld } from './commitHeld.js';
import type { SyncDeps } from './syncDeps.js';

/** How long (ms) the messages of a forum are kept after it has ceased to be public. */
const KEPT_MS = 12 * 3_600_000;
/** How many messages are removed at once. */
const AT_ONCE = 500;
const LOOK_EVERY_MS = 250;

type Deps = Pick<SyncDeps, 'collections' | 'commit' | 'signal' | 'longWithheld'>;

/** Whether a forum has been withheld for so long that its messages are to be removed. */
export function isLongWithheld(channel: Pick<ChannelRecord, 'withheldAt'> | null): boolean {
  return channel?.withheldAt !== undefined && Date.now() - channel.withheldAt.getTime() >= KEPT_MS;
}

/**
 * Removes the messages of forums that looks have found to be withheld for a long time, one forum after the other, until
 * the signal is aborted. A large forum takes minutes. Looks do not wait for that, because another forum may be hidden
 * meanwhile.
 */
export async function removeLongWithheld(deps: Deps): Promise<void> {
  const { longWithheld, signal } = deps;
  while (!signal.aborted) {
    for (const channelId of longWithheld) {
      await removeWithheld(deps, channelId);
      longWithheld.delete(channelId);
    }
    await rest(LOOK_EVERY_MS, signal);
  }
}

/**
 * Removes a forum's threads and messages. Unlike a deletion, this can be undone: when the forum is public again,
 * everything is fetched again. But what was deleted or erased here does not come back.
 */
async function removeWithheld(deps: Deps, channelId: string): Promise<void> {
  const { threads, threadItems, work } = deps.collections;
  const full = { channelId, deleted: { $ne: true }, asOf: { $gt: 0 } };
  for await (const page of pagesById(threads, { filter: full, projection: { _id: 1 } })) {
    for (const { _id: threadId } of page) {
      // The build of a withheld thread removes first what readers saw of it. A build that is not done may also have sent
      // search documents already, and only the records tell which. A later look comes to this thread again. The mark is
      // looked for first, because a build stores views in the transaction that ends it. A quarantined thread of a
      // withheld forum is not shown any more.
      if (await work.findOne({ _id: markId('thread', threadId), due: { $ne: NEVER } })) continue;
      if (await threadItems.findOne({ _id: threadId })) continue;
      if (!(await removeThread(deps, channelId, threadId))) return;
    }
  }
}

/** Removes a thread's records. Resolves with whether the forum is still withheld. */
async function removeThread(deps: Deps, channelId: string, threadId: string): Promise<boolean> {
  const { messages } = deps.collections;
  for (;;) {
    const some = await messages
      .find({ threadId, deleted: { $ne: true } }, { projection: { _id: 1 } })
      .limit(AT_ONCE)
      .toArray();
    if (some.length === 0) break;
    const ids = some.map(({ _id }) => _id);
    const isRemoved = await whileWithheld(deps, channelId, { messages: ids }, (documents) => {
      for (const id of ids)
        if (!documents.get('messages', id)?.deleted) documents.remove('messages', id);
    });
    if (!isRemoved) return false;
  }
  return whileWithheld(deps, channelId, { threads: [threadId] }, (documents) => {
    const thread = documents.get('threads', threadId);
    if (!thread || thread.deleted) return;
    documents.put('threads', hollowThread(thread));
    // The server's statistics tell when the newest of its threads was read.
    documents.mark('server', thread.serverId);
  });
}

/**
 * Makes a change in a forum, unless a look has found meanwhile that it is public. Resolves with whether it was made.
 */
async function whileWithheld(
  deps: Deps,
  channelId: string,
  reads: Change<unknown>['reads'],
  change: (documents: Documents) => void,
): Promise<boolean> {
  return commitHeld(deps, {
    reads: { ...reads, channels: [channelId] },
    decide(documents) {
      if (!isLongWithheld(documents.get('channels', channelId))) return false;
      change(documents);
      return true;
    },
  });
}
