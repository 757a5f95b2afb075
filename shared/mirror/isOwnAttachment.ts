import { isAttachmentOf } from '../discordApi/cdnUrls.js';
import type { AttachmentRecord, MessageRecord } from '../store/records.js';
import { isLive } from '../store/sourceTime.js';

/**
 * Whether the recorded address of an attachment leads to that attachment. An address that the platform told does. An
 * export may name any address: where only an export told it, it has to hold the ids of the thread and of the file.
 * `cdnUrl` is where files are fetched from.
 */
export function isOwnAttachment(
  { id: attachmentId, url }: Pick<AttachmentRecord, 'id' | 'url'>,
  { threadId: channelId, asOf }: Pick<MessageRecord, 'threadId' | 'asOf'>,
  cdnUrl: string,
): boolean {
  return isLive(asOf) || isAttachmentOf(url, { channelId, attachmentId }, cdnUrl);
}
