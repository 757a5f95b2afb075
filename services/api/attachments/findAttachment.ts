import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import type { AttachmentRecord } from '../../../shared/store/records.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { timeLimit } from '../timeLimit.js';

type Store = Pick<
  Collections,
  'messages' | 'threads' | 'channels' | 'servers' | 'erasures' | 'state'
>;

/** An attachment of a message that the platform told of. */
export interface FoundAttachment {
  attachmentId: string;
  messageId: string;
  threadId: string;
  /** Its link without a signature. */
  url: string;
}

/**
 * An attachment that may be shown; null where there is none. The records are asked, not the views: what was deleted,
 * erased or withheld is not found from that moment on, even before the views are built again.
 */
export async function findAttachment(
  store: Store,
  { messageId, attachmentId }: Pick<FoundAttachment, 'messageId' | 'attachmentId'>,
): Promise<FoundAttachment | null> {
  const message = await store.messages.findOne(
    { _id: messageId, counted: true, deleted: { $ne: true } },
    { projection: MESSAGE, ...timeLimit() },
  );
  if (!message || !isLive(message.asOf)) return null;
  const files: AttachmentRecord[] = [
    ...message.attachments,
    ...(message.forwarded?.attachments ?? []),
  ];
  const file = files.find(({ id }) => id === attachmentId);
  if (!file || !(await isShown(store, message.threadId))) return null;
  if ((await erasedPeople(store)).has(message.author.id)) return null;
  return { attachmentId, messageId, threadId: message.threadId, url: file.url };
}

const MESSAGE = {
  ...{ threadId: 1, 'author.id': 1, asOf: 1, attachments: 1, 'forwarded.attachments': 1 },
} as const;

async function isShown({ threads, channels, servers }: Store, threadId: string): Promise<boolean> {
  const alive = { deleted: { $ne: true } } as const;
  const fields = { projection: { serverId: 1, channelId: 1 }, ...timeLimit() } as const;
  const thread = await threads.findOne({ _id: threadId, ...alive }, fields);
  if (!thread) return false;
  const { serverId, channelId } = thread;
  const [channel, server] = await Promise.all([
    channels.findOne({ _id: channelId, ...alive, withheldAt: { $exists: false } }, fields),
    servers.findOne({ _id: serverId, ...alive }, fields),
  ]);
  return channel !== null && server !== null;
}
