import { filePath, iconUrl } from '../../../shared/discordApi/cdnUrls.js';
import { isOwnAttachment } from '../../../shared/mirror/isOwnAttachment.js';
import type { AttachmentRecord, MessageRecord } from '../../../shared/store/records.js';
import { isLive } from '../../../shared/store/sourceTime.js';

/** Where readers find files. */
export interface ServiceLinks {
  /** What links to this service begin with. */
  publicUrl: string;
  attachment(
    file: Pick<AttachmentRecord, 'id' | 'url'>,
    message: Pick<MessageRecord, '_id' | 'threadId' | 'asOf'>,
  ): string;
  /** The picture of somebody who has an account. */
  avatar(user: { id: string; avatar: string }): string;
  icon(serverId: string, hash: string): string;
}

/** What decides whether a link leads to this service. */
export interface LinkSettings {
  /** Where readers reach the API, without a slash at the end. */
  publicUrl: string;
  /** Where files of the platform are copied from; null where they are not. */
  cdnUrl: string | null;
}

/**
 * Links to this service for files that it can give out, else links to the platform. The platform's own link to an
 * attachment expires within a day, so a link to this service leads to a fresh one. Mirrored files are given out here,
 * too.
 */
export function createServiceLinks({ publicUrl, cdnUrl }: LinkSettings): ServiceLinks {
  return {
    publicUrl,
    attachment(file, message) {
      const isServed =
        cdnUrl === null ? isLive(message.asOf) : isOwnAttachment(file, message, cdnUrl);
      return isServed ? `${publicUrl}/attachments/${message._id}/${file.id}` : file.url;
    },
    avatar({ id, avatar }) {
      const isServed = cdnUrl !== null && filePath(avatar, cdnUrl) !== null;
      return isServed ? `${publicUrl}/avatars/${id}` : avatar;
    },
    icon: (serverId, hash) =>
      cdnUrl === null ? iconUrl(serverId, hash) : `${publicUrl}/icons/${serverId}`,
  };
}
