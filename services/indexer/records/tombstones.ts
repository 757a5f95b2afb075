import type { Collection } from 'mongodb';
import type {
  AuthorSnapshot,
  ChannelRecord,
  MessageRecord,
  ServerRecord,
  ThreadRecord,
} from '../../../shared/store/records.js';

/** The id that stands for everyone who was erased. */
export const ERASED_ID = '0';

/** What a thread is called whose title was taken away. */
export const UNTITLED = 'thread';

/** Who stands in place of somebody who was erased. */
export const ERASED_AUTHOR: AuthorSnapshot = {
  id: ERASED_ID,
  username: 'deleted-user',
  displayName: 'deleted-user',
  discriminator: null,
  avatar: 'https://cdn.discordapp.com/embed/avatars/0.png',
  isBot: false,
};

/** What a deleted message says: nothing. Its id, thread, time and order are kept. */
export const REDACTED = {
  author: ERASED_AUTHOR,
  content: '',
  editedAt: null,
  pinned: false,
  attachments: [],
  embeds: [],
  stickers: [],
  reactions: [],
  mentions: [],
  reference: null,
  forwarded: null,
  interaction: null,
  mentionedRoles: [],
  deleted: true,
} satisfies Partial<MessageRecord>;

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
    ...{ _id, serverId, channelId, title: UNTITLED, stamps: {}, asOf: 0 },
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
