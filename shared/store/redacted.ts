import type { Filter } from 'mongodb';
import type { AuthorSnapshot, MessageRecord } from './records.js';

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
  mentionedRoles: [],
  deleted: true,
} satisfies Partial<MessageRecord>;

const LISTS = Object.entries(REDACTED).flatMap(([name, left]) =>
  Array.isArray(left) ? [name] : [],
);

/** Finds messages of which something is left beyond what a deleted message keeps. */
export const HAS_WORDS: Filter<MessageRecord> = {
  $or: [
    { content: { $ne: '' } },
    { 'author.id': { $ne: ERASED_ID } },
    { forwarded: { $ne: null } },
    { interaction: { $ne: null } },
    ...LISTS.map((name) => ({ [`${name}.0`]: { $exists: true } })),
  ],
};
