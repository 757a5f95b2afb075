import type { Collection } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type {
  AuthorSnapshot,
  ChannelRecord,
  MessageRecord,
  ServerRecord,
  ThreadRecord,
} from '../../../shared/store/records.js';
import { nextRevision, nowMicroseconds } from './threadRevision.js';

/** The id that stands for everyone who was erased. */
export const ERASED_ID = '0';

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
  tie: '',
  deleted: true,
} satisfies Partial<MessageRecord>;

/** Takes away what a thread says of itself and marks it pending, in one atomic update; a deleted one stays as it is. */
export async function tombstoneThread(
  threads: Collection<ThreadRecord>,
  threadId: string,
): Promise<void> {
  const place = { _id: '$_id', serverId: '$serverId', channelId: '$channelId' };
  const kept = { ...place, asOf: '$asOf', revision: '$revision', erasing: '$erasing' };
  const empty = { title: '', stamps: {}, deleted: true };
  await threads.updateOne({ _id: threadId, deleted: { $ne: true } }, [
    { $replaceWith: { $mergeObjects: [kept, { $literal: empty }] } },
    ...nextRevision(nowMicroseconds()),
  ]);
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

/** Takes away what a channel says of itself. Returns whether there is such a channel. */
export async function tombstoneChannel(
  { channels }: Pick<Collections, 'channels'>,
  channelId: string,
): Promise<ChannelRecord | null> {
  const kept = { _id: '$_id', serverId: '$serverId', changes: '$changes', spread: '$spread' };
  return channels.findOneAndUpdate({ _id: channelId }, placeTombstone(kept), {
    returnDocument: 'after',
  });
}

/** Takes away what a server says of itself. Returns whether there is such a server. */
export async function tombstoneServer(
  { servers }: Pick<Collections, 'servers'>,
  serverId: string,
): Promise<ServerRecord | null> {
  const kept = { _id: '$_id', changes: '$changes', spread: '$spread' };
  return servers.findOneAndUpdate({ _id: serverId }, placeTombstone(kept), {
    returnDocument: 'after',
  });
}

/** The version rises, so that a merge that has read the record before cannot put it back. */
function placeTombstone(kept: Record<string, string>): Record<string, unknown>[] {
  const empty = { name: '', stamps: {}, deleted: true };
  const version = { $add: ['$version', 1] };
  return [{ $replaceWith: { $mergeObjects: [{ ...kept, version }, { $literal: empty }] } }];
}
