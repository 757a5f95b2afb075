import type { ExportUser } from '../../../shared/exportFormat/exportTypes.js';
import type { AuthorSnapshot, MessageRecord } from '../../../shared/store/records.js';
import { avatarUrl } from './assetUrls.js';
import { cleanName } from './cleanText.js';

/** An author as the file of a server saw them; `0000` and `0` stand for no discriminator. */
export function mapAuthor(user: ExportUser, serverId?: string): AuthorSnapshot {
  const digits = /^\d{4}$/.exec(user.discriminator ?? '')?.[0];
  const discriminator = digits === undefined || digits === '0000' ? null : digits;
  return {
    ...mapNames(user),
    discriminator,
    avatar: avatarUrl(user.avatarUrl, { id: user.id, discriminator, serverId }),
  };
}

/** A mentioned user. */
export function mapNames(user: ExportUser): MessageRecord['mentions'][number] {
  const username = cleanName(user.name, `user-${user.id}`);
  return {
    id: user.id,
    username,
    displayName: cleanName(user.nickname, username),
    isBot: user.isBot ?? false,
  };
}
