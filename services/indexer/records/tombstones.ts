import type { Collection } from 'mongodb';
import type {
  ChannelRecord,
  MessageRecord,
  ServerRecord,
  ThreadRecord,
} from '../../../shared/store/records.js';
import { ERASED_ID, REDACTED } from '../../../shared/store/redacted.js';

/** The title that replaces one that was taken away. */
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
 * A thread's record without anything that a source said of it. So whatever a source tells next is taken. What was
 * erased of it stays known: that its author was, and which titles were.
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

/** A server's record without anything that a source said of it. It stays so that no source brings the server back. */
export function serverTombstone({ _id }: ServerRecord): ServerRecord {
  return { _id, name: '', stamps: {}, deleted: true };
}

/** A channel's record without anything that a source said of it. It stays so that no source brings the channel back. */
export function channelTombstone({ _id, serverId }: ChannelRecord): ChannelRecord {
  return { _id, serverId, name: '', stamps: {}, deleted: true };
}

/** Empties every message of a thread. Running twice changes nothing. */
export async function redactThread(
  messages: Collection<MessageRecord>,
  threadId: string,
): Promise<void> {
  await messages.updateMany({ threadId, deleted: { $ne: true } }, { $set: REDACTED });
}
