import type { Filter } from 'mongodb';
import type { AuthorSnapshot, MessageRecord } from './records.js';

/** The id that stands for everyone who was erased. */
export const ERASED_ID = '0';

/** The author that is shown in place of an erased person. */
export const ERASED_AUTHOR: AuthorSnapshot = {
  id: ERASED_ID,
  username: 'deleted-user',
  displayName: 'deleted-user',
  discriminator: null,
  avatar: 'https://cdn.discordapp.com/embed/avatars/0.png',
  isBot: false,
};

/** The fields that a deleted message keeps. */
type Kept =
  | '_id'
  | 'threadId'
  | 'order'
  | 'type'
  | 'counted'
  | 'webhook'
  | 'createdAt'
  | 'asOf'
  | 'partsAsOf';

/**
 * The values of all other fields of a deleted message. The compiler demands one for every field that is not kept. A
 * field in which somebody else's message may name a person also has to be cleaned in applyErasures.ts.
 */
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
} satisfies Required<Omit<MessageRecord, Kept>>;

const FIELDS_LEFT = Object.entries(REDACTED).flatMap(([name, left]): Filter<MessageRecord>[] => {
  if (left === null) return [{ [name]: { $ne: null } }];
  return Array.isArray(left) ? [{ [`${name}.0`]: { $exists: true } }] : [];
});

/** Finds messages that hold more than a deleted message keeps. */
export const HAS_WORDS: Filter<MessageRecord> = {
  $or: [{ content: { $ne: '' } }, { 'author.id': { $ne: ERASED_ID } }, ...FIELDS_LEFT],
};
