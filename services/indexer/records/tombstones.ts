import type { Collection } from 'mongodb';
import type {
  ChannelRecord,
  MessageRecord,
  ServerRecord,
  ThreadRecord,
} from '../../../shared/store/records.js';
import { ERASED_ID, REDACTED } from '../../../shared/store/redacted.js';

/** What a thread is called whose title was taken away. */
export const UNTITLED = 'thread';

/**
 * A thread's record without anything that a source said of it. Its id and place stay, so that no source brings it back.
 * The very same object when it is a tombstone already.
 */
export function threadTombstone(thread: ThreadRecord): ThreadRecord {
  if (thread.deleted) return thread;
  const { _id, serverId, channelId, asOf } = thread;
  return { _id, serverId, channelId, asOf, title: '', stamps: {}, deleted: true };
}

/**
 * A thread's record without anything that a source said of it, so that whatever a source tells next is taken. What was
 * erased of it stays known.
 */
export function hollowThread(thread: ThreadRecord): ThreadRecord {
  const { _id, serverId, channelId, ownerId, redactedTitles } = thread;
  return {
    _id,
    serverId,
    channelId,
    title: UNTITLED,
    stamps: {},
    asOf: 0,
    ...(ownerId === ERASED_ID && { ownerId }),
    ...(redactedTitles && { redactedTitles }),
  };
}

/** A server of which nothing is left but what keeps it from coming back. */
export function serverTombstone({ _id }: ServerRecord): ServerRecord {
  return { _id, name: '', stamps: {}, deleted: true };
}

/** A channel of which nothing is left but what keeps it from coming back. */
export function channelTombstone({ _id, serverId }: ChannelRecord): ChannelRecord {
  return { _id, serverId, name: '', stamps: {}, deleted: true };
}

/** Takes away the words of every message of some threads. Running twice changes nothing. Gives how many had words. */
export async function redactThreads(
  messages: Collection<MessageRecord>,
  threadIds: string[],
): Promise<number> {
  const { modifiedCount } = await messages.updateMany(
    { threadId: { $in: threadIds }, deleted: { $ne: true } },
    { $set: REDACTED },
  );
  return modifiedCount;
}
