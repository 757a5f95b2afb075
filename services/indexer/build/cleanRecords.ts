import type { Filter } from 'mongodb';
import { ALL_SERVERS } from '../../../shared/store/bodyKinds.js';
import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import { forwardsOf, unshownForwards } from '../../../shared/store/forwards.js';
import { findGathered } from '../../../shared/store/gather.js';
import { MESSAGE_BATCH } from '../../../shared/store/messageBatch.js';
import { NOBODY_LEFT_OUT } from '../../../shared/store/optOuts.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { SyncThread } from '../../../shared/store/syncRecords.js';
import type { Mark } from '../../../shared/store/work.js';
import { batches } from '../../../shared/platform/batches.js';
import type { IndexerDeps } from '../deps.js';
import { applyErasures } from '../../../shared/store/applyErasures.js';
import { earliestAuthorId } from '../../../shared/store/earliestAuthorId.js';
import { eraseFields, eraseThread } from '../../../shared/store/eraseThread.js';
import { disownThread } from '../records/disownThread.js';
import { noteCleaned } from '../records/noteCleaned.js';
import { namesOfErased, redactTitleOf } from '../records/redactTitle.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import { threadTombstone } from '../records/tombstones.js';
import { withoutDeletedForward } from '../records/withoutDeletedForward.js';
import { countedMessages } from './threadMessages.js';
import { unlessDamaged } from '../records/unlessDamaged.js';
import { readsOf } from '../work/claims.js';

type Deps = Pick<IndexerDeps, 'collections' | 'commit'>;

/**
 * Cleans a thread's record. If its channel or server was deleted, the record becomes a tombstone. Otherwise everything
 * goes that names somebody who was erased. Either may be needed when a source was read before a deletion or erasure,
 * and merged after it. Resolves with the record as it is stored then; with null when there is none.
 */
export async function cleanThread(
  deps: Deps,
  threadId: string,
  erased: ErasedPeople,
): Promise<ThreadRecord | null> {
  const { threads, channels, servers } = deps.collections;
  const thread = await findGathered(threads, threadId);
  if (!thread || thread.deleted) return thread;
  const [channel, server] = await Promise.all([
    findGathered(channels, thread.channelId),
    findGathered(servers, thread.serverId),
  ]);
  const isPlaceGone = channel?.deleted === true || server?.deleted === true;
  const clean = (now: ThreadRecord): ThreadRecord => {
    if (isPlaceGone) return threadTombstone(now);
    const erasedFrom = eraseThread(now, erased);
    return erasedFrom === now ? now : { ...erasedFrom, cleanedFor: erased.version };
  };
  return clean(thread) === thread ? thread : replaceThread(deps, threadId, clean);
}

/** Replaces a thread's record by what a function makes of it; gives what is stored then. */
export async function replaceThread(
  { commit }: Deps,
  threadId: string,
  change: (thread: ThreadRecord) => ThreadRecord,
): Promise<ThreadRecord | null> {
  return commit({
    reads: { threads: [threadId] },
    decide(documents) {
      const now = documents.get('threads', threadId);
      const next = now && change(now);
      if (next && next !== now) documents.put('threads', next);
      return next;
    },
  });
}

/**
 * Takes out of messages what is left of erased people, and the copies of deleted messages that they forward. Where a
 * thread's starter message is emptied, its author is no longer named as the thread's author. The names by which messages
 * call erased people go from the titles of their threads, too. Worker A is about to store a message, and has read who is
 * erased. Meanwhile worker B erases the message's author, and does not find this message. When A has stored it, the build
 * that follows is the only one that knows the name.
 */
export async function cleanMessages(
  { commit }: Deps,
  unclean: readonly MessageRecord[],
  erased: ErasedPeople,
): Promise<void> {
  const starters = unclean.filter(({ _id, threadId }) => _id === threadId);
  await commit({
    reads: {
      messages: [
        ...unclean.map(({ _id }) => _id),
        ...forwardsOf(unclean).map(({ originalId }) => originalId),
      ],
      threads: [...new Set(unclean.map(({ threadId }) => threadId))],
    },
    decide(documents) {
      for (const { _id, threadId } of unclean) {
        const now = documents.get('messages', _id);
        const erasedFrom = now && applyErasures(now, erased);
        if (now && erasedFrom !== now) {
          noteCleaned(documents, threadId, erased);
          const names = namesOfErased([now], erased);
          if (redactTitleOf(documents, threadId, names, erased)) documents.mark('thread', threadId);
        }
        const clean = erasedFrom && withoutDeletedForward(documents, erasedFrom);
        if (clean && clean !== now) documents.put('messages', clean);
      }
      for (const { _id } of starters) {
        if (documents.get('messages', _id)?.deleted) disownThread(documents, _id);
      }
    },
  });
}

const FORWARDING = { 'forwarded.content': { $exists: true } } as const;

/** Cleans a thread's messages, shown or not, as `cleanMessages` does; `which` narrows them. */
export async function cleanWords(
  deps: Deps,
  threadId: string,
  erased: ErasedPeople,
  which: Filter<MessageRecord> = {},
): Promise<void> {
  const { collections } = deps;
  const alive = { threadId, deleted: { $ne: true }, ...which };
  const said = collections.messages.find(erased.isEmpty ? { ...alive, ...FORWARDING } : alive);
  for await (const batch of batches(said, MESSAGE_BATCH)) {
    const { gone } = await unshownForwards(collections, NOBODY_LEFT_OUT, forwardsOf(batch));
    const unclean = batch.filter((message) => {
      const clean = unlessDamaged(() => applyErasures(message, erased));
      // A damaged message stays as it is. Its thread cannot be built, so nobody reads it, and verify tells of it.
      return clean !== null && (gone.has(message._id) || clean !== message);
    });
    if (unclean.length > 0) await cleanMessages(deps, unclean, erased);
  }
}

/**
 * Removes a thread that an erasure has emptied, because the erased person wrote all of it. Gives what is stored then. A
 * thread stays while messages of it are still to be fetched from the platform, as others may have written them. Worker A
 * finds that nobody else has written in the thread. Meanwhile worker B records the answer of somebody else, which sets
 * the thread's mark again. Then A leaves the thread as it is, and it is built once more.
 */
export async function removeIfEmptied(
  deps: Deps,
  thread: ThreadRecord,
  mark: Mark,
): Promise<ThreadRecord> {
  const { _id } = thread;
  if (!(await isEmptied(deps, thread))) return thread;
  return deps.commit({
    reads: { threads: [_id], sync: [_id], ...readsOf([mark]) },
    decide(documents) {
      const now = documents.get('threads', _id) ?? thread;
      const isToBeFetched = (documents.get('sync', _id) as SyncThread | null)?.todo !== undefined;
      if (isToBeFetched || documents.get('work', mark._id)?.token !== mark.token) return now;
      const tombstone = threadTombstone(now);
      documents.put('threads', tombstone);
      return tombstone;
    },
  });
}

/**
 * Whether somebody who was erased started a thread, and nobody else has written in it. Where no owner is recorded, whoever
 * wrote the earliest message counts as having started it.
 */
export async function isEmptied(
  { collections }: Deps,
  { _id, ownerId }: ThreadRecord,
): Promise<boolean> {
  if (ownerId !== undefined && ownerId !== ERASED_ID) return false;
  if ((await countedMessages(collections, _id).limit(1).next()) !== null) return false;
  return (ownerId ?? (await earliestAuthorId(collections, _id))) === ERASED_ID;
}

/**
 * Takes erased people out of the texts of a marked server and of its channels: names, descriptions, topics and tags.
 * Marks what shows them elsewhere: the list of all servers, profiles, and threads.
 */
export async function cleanPlaces(
  deps: Deps,
  { subject: serverId, causes }: Pick<Mark, 'subject' | 'causes'>,
): Promise<void> {
  const { servers, channels } = deps.collections;
  const erased = await erasedPeople(deps.collections);
  if (erased.isEmpty) return;
  const ids = (await channels.find({ serverId }).toArray())
    .filter((channel) => eraseFields(channel, erased) !== channel)
    .map(({ _id }) => _id);
  const server = await findGathered(servers, serverId);
  const isServerClean = !server || eraseFields(server, erased) === server;
  if (ids.length === 0 && isServerClean) return;
  await deps.commit({
    reads: { servers: [serverId], channels: ids },
    decide(documents) {
      for (const id of ids) {
        const channel = documents.get('channels', id);
        if (!channel) continue;
        const clean = eraseFields(channel, erased);
        documents.put('channels', clean);
        const isSame = clean.name === channel.name && clean.availableTags === channel.availableTags;
        if (!isSame) documents.mark('channel', id, { causes });
      }
      const now = documents.get('servers', serverId);
      const clean = now && eraseFields(now, erased);
      if (!clean || clean === now) return;
      documents.put('servers', clean);
      documents.mark('server', ALL_SERVERS, { causes });
      if (clean.name !== now.name) documents.mark('people', serverId, { causes });
    },
  });
}
