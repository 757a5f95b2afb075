import { filePath, iconUrl, unsignedUrl } from '../../../shared/discordApi/cdnUrls.js';
import type { SentAttachment } from '../../../shared/discordApi/freshLinks.js';
import { attachmentName, type FileName } from '../../../shared/mirror/fileNames.js';
import { isOwnAttachment } from '../../../shared/mirror/isOwnAttachment.js';
import { batches } from '../../../shared/platform/batches.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { findGathered } from '../../../shared/store/gather.js';
import { MESSAGE_BATCH } from '../../../shared/store/messageBatch.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';
import { withoutUnshown } from '../../../shared/store/withoutUnshown.js';
import type { AttachmentRecord, MessageRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { countedMessages } from '../build/threadMessages.js';
import type { Mirror } from './mirror.js';

/** A file that is shown, and may be copied. */
export interface WantedFile {
  name: FileName;
  /** The link that is recorded. A picture with another link is another picture. */
  source: string;
  /** How many bytes it has at least, as far as is known. */
  bytes: number;
  /** The message that an attachment belongs to, with which a fresh link is asked for. */
  attachment?: SentAttachment;
}

type Deps = Pick<IndexerDeps, 'collections' | 'mirror'>;

/** Nobody tells how many bytes a picture has. An answer without any holds no picture. */
const LEAST_OF_PICTURE = 1;

/**
 * The files of a subject that are to be copied; without a mirror, all that are shown. A subject is `thread/ID`,
 * `user/ID` or `server/ID`.
 */
export async function wantedFiles(deps: Deps, subject: string): Promise<WantedFile[]> {
  const { mirror } = deps;
  const [kind, id = ''] = subject.split('/');
  if (kind === 'thread') return wantedAttachments(deps, id);
  const picture = kind === 'user' ? await avatarOf(deps, id) : await iconOf(deps, id);
  if (!picture) return [];
  return !mirror || filePath(picture.source, mirror.cdnUrl) !== null ? [picture] : [];
}

const WITH_FILES = {
  $or: [{ 'attachments.0': { $exists: true } }, { 'forwarded.attachments.0': { $exists: true } }],
};

/** The attachments of a thread that readers see. */
async function wantedAttachments(
  { collections, mirror }: Deps,
  threadId: string,
): Promise<WantedFile[]> {
  const place = await shownPlace(collections, threadId);
  if (!place) return [];
  const unshown = await unshownPeople(collections);
  const wanted: WantedFile[] = [];
  const said = countedMessages(collections, threadId, WITH_FILES);
  for await (const batch of batches(said, MESSAGE_BATCH)) {
    const { shown } = await withoutUnshown(collections, unshown, place.serverId, batch);
    for (const message of shown) wanted.push(...attachmentsOf(message, mirror));
  }
  return wanted;
}

function attachmentsOf(message: MessageRecord, mirror: Mirror | null): WantedFile[] {
  const { _id: messageId, threadId, attachments, forwarded } = message;
  return [...attachments, ...(forwarded?.attachments ?? [])]
    .filter((file) => !mirror || isCopied(file, message, mirror))
    .map(({ id: attachmentId, url, size: bytes }) => ({
      name: attachmentName({ messageId, attachmentId }),
      source: mirror?.links ? unsignedUrl(url) : url,
      bytes,
      attachment: { attachmentId, messageId, threadId, url: unsignedUrl(url) },
    }));
}

function isCopied(
  file: AttachmentRecord,
  message: MessageRecord,
  { cdnUrl, takes, maxFileBytes }: Mirror,
): boolean {
  const isTrusted = filePath(file.url, cdnUrl) !== null && isOwnAttachment(file, message, cdnUrl);
  return isTrusted && takes(file.contentType) && file.size <= maxFileBytes;
}

/** A thread that may be shown; null for any other. */
async function shownPlace(
  { threads, channels, servers }: Deps['collections'],
  threadId: string,
): Promise<{ serverId: string } | null> {
  const thread = await findGathered(threads, threadId);
  if (!thread || thread.deleted) return null;
  const [channel, server] = await Promise.all([
    findGathered(channels, thread.channelId),
    findGathered(servers, thread.serverId),
  ]);
  const isShown = channel && server && !channel.deleted && !channel.withheldAt && !server.deleted;
  return isShown ? thread : null;
}

/** Somebody's picture; null where they have none, were erased, or nothing of them is shown. */
async function avatarOf({ collections }: Deps, userId: string): Promise<WantedFile | null> {
  const [erased, member] = await Promise.all([
    erasedPeople(collections),
    collections.members.findOne({ userId }, { projection: { avatar: 1 } }),
  ]);
  if (!member || erased.has(userId)) return null;
  return { name: `avatars/${userId}`, source: member.avatar, bytes: LEAST_OF_PICTURE };
}

/** A server's picture; null where it has none. The record of a deleted server has none. */
async function iconOf({ collections }: Deps, serverId: string): Promise<WantedFile | null> {
  const server = await findGathered(collections.servers, serverId);
  if (!server?.icon) return null;
  return {
    name: `icons/${serverId}`,
    source: iconUrl(serverId, server.icon),
    bytes: LEAST_OF_PICTURE,
  };
}
