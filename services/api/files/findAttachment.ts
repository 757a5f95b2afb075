import { unsignedUrl } from '../../../shared/discordApi/cdnUrls.js';
import type { SentAttachment } from '../../../shared/discordApi/freshLinks.js';
import { isOwnAttachment } from '../../../shared/mirror/isOwnAttachment.js';
import type { Collections } from '../../../shared/store/collections.js';
import { forwardsOf, unshownForwards } from '../../../shared/store/forwards.js';
import type { AttachmentRecord, MessageRecord } from '../../../shared/store/records.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';

type Store = Pick<
  Collections,
  'messages' | 'threads' | 'channels' | 'servers' | 'erasures' | 'optOuts' | 'state'
>;

/** An attachment that may be shown, as it is recorded. */
export interface FoundAttachment extends SentAttachment {
  filename: string;
  /** The link in the export, where the attachment is only known from an export; null where the platform told of it. */
  exported: string | null;
}

/**
 * Finds an attachment that may be shown; null where there is none. It reads the records, not the views. So an
 * attachment that is deleted, erased, withheld or left out is hidden at once, even before the views are built again.
 */
export async function findAttachment(
  store: Store,
  { messageId, attachmentId }: Pick<FoundAttachment, 'messageId' | 'attachmentId'>,
  cdnUrl: string,
): Promise<FoundAttachment | null> {
  const message = await store.messages.findOne(
    { _id: messageId, counted: true, deleted: { $ne: true } },
    { projection: MESSAGE },
  );
  if (!message) return null;
  const files: AttachmentRecord[] = [
    ...message.attachments,
    ...(message.forwarded?.attachments ?? []),
  ];
  const file = files.find(({ id }) => id === attachmentId);
  const serverId = file && (await shownServer(store, message.threadId));
  if (!file || !serverId || !isOwnAttachment(file, message, cdnUrl)) return null;
  if (!(await isAuthorShown(store, serverId, message, attachmentId))) return null;
  const { threadId, asOf } = message;
  const { filename, url } = file;
  const exported = isLive(asOf) ? null : url;
  return { attachmentId, messageId, threadId, url: unsignedUrl(url), filename, exported };
}

const MESSAGE = {
  threadId: 1,
  'author.id': 1,
  asOf: 1,
  attachments: 1,
  'forwarded.attachments': 1,
  reference: 1,
} as const;

/**
 * Whether the author of a message may be shown. Where the file is part of a forwarded copy, the original message must
 * not be hidden either.
 */
async function isAuthorShown(
  store: Store,
  serverId: string,
  message: MessageRecord,
  attachmentId: string,
): Promise<boolean> {
  const people = await unshownPeople(store);
  if (people.has(serverId, message.author.id)) return false;
  if (message.attachments.some(({ id }) => id === attachmentId)) return true;
  return (await unshownForwards(store, people, forwardsOf([message]))).hidden.size === 0;
}

/** The id of a thread's server; null where the thread may not be shown. */
async function shownServer(
  { threads, channels, servers }: Store,
  threadId: string,
): Promise<string | null> {
  const alive = { deleted: { $ne: true } } as const;
  const fields = { projection: { serverId: 1, channelId: 1 } } as const;
  const thread = await threads.findOne({ _id: threadId, ...alive }, fields);
  if (!thread) return null;
  const { serverId, channelId } = thread;
  const [channel, server] = await Promise.all([
    channels.findOne({ _id: channelId, ...alive, withheldAt: { $exists: false } }, fields),
    servers.findOne({ _id: serverId, ...alive }, fields),
  ]);
  return channel && server && serverId;
}
