import Joi from 'joi';
import type {
  ExportAttachment,
  ExportAuthor,
  ExportChannel,
  ExportEmbed,
  ExportEmoji,
  ExportForum,
  ExportForwarded,
  ExportGuild,
  ExportHeader,
  ExportMedia,
  ExportMessage,
  ExportReaction,
  ExportReference,
  ExportSticker,
  ExportTag,
  ExportUser,
} from './exportTypes.js';
import { MAX_SHORT_TEXT as SHORT, MAX_TEXT as LONG } from './limits.js';
import { SNOWFLAKE } from './snowflake.js';
import { isTimestamp, LAST_YEAR } from './timestamps.js';

const snowflake = () =>
  Joi.string()
    .pattern(SNOWFLAKE)
    .messages({ 'string.pattern.base': '{{#label}} must be an id of 17 to 20 digits' });
/** The owner of a thread. 0 stands for anybody who was erased. */
const ownerId = () => snowflake().allow('0', null);
const anyId = () =>
  Joi.string()
    .pattern(/^\d{1,20}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be an id of digits' });
const text = (max: number) => Joi.string().allow('').max(max);
const orNull = (schema: Joi.StringSchema) => schema.allow(null);
const size = () => Joi.number().integer().min(0);
const pixels = () => Joi.number().min(0).allow(null);
const timestamp = (lastYear = LAST_YEAR) =>
  Joi.string()
    .custom((value: string, helpers) =>
      isTimestamp(value, lastYear) ? value : helpers.error('time'),
    )
    .messages({
      time: `{{#label}} must be an ISO 8601 time with an offset, in the years 1 to ${lastYear}`,
    });
const listOf = (schema: Joi.Schema, max: number) => Joi.array().items(schema).max(max);

const guild = Joi.object<ExportGuild, true>({
  id: anyId().required(),
  name: text(SHORT).required(),
  iconUrl: orNull(text(LONG)),
  description: orNull(text(LONG)),
  memberCount: size(),
}).required();

const tag = Joi.object<ExportTag, true>({
  id: snowflake().required(),
  name: Joi.string().max(SHORT).required(),
  emoji: orNull(text(SHORT)),
  moderated: Joi.boolean(),
});

const forum = Joi.object<ExportForum, true>({
  type: Joi.number().integer().min(0).max(255),
  topic: orNull(text(LONG)),
  position: Joi.number().integer(),
  parentId: orNull(snowflake()),
  parentName: orNull(text(SHORT)),
});

const channel = Joi.object<ExportChannel, true>({
  id: anyId().required(),
  type: Joi.alternatives(Joi.string().max(64), size().max(255)).required(),
  categoryId: orNull(anyId()),
  category: orNull(text(SHORT)),
  name: text(SHORT).required(),
  topic: orNull(text(LONG)),
  appliedTags: listOf(Joi.string().max(SHORT), 100),
  archived: Joi.boolean(),
  archivedAt: timestamp().allow(null),
  locked: Joi.boolean(),
  lockedAt: timestamp().allow(null),
  pinned: Joi.boolean(),
  ownerId: ownerId(),
  availableTags: listOf(tag, 1_000).unique('id'),
  forum,
}).required();

/** The file's members other than `messages`, each checked when it is met. */
export const headerSchemas: Readonly<Record<keyof ExportHeader, Joi.Schema>> = {
  guild,
  channel,
  exportedAt: timestamp().required().label('exportedAt'),
  contentFormat: Joi.valid('raw', 'text').required().label('contentFormat'),
};

const userKeys = {
  id: anyId().required(),
  name: text(SHORT),
  discriminator: orNull(text(16)),
  nickname: orNull(text(SHORT)),
  isBot: Joi.boolean(),
  avatarUrl: orNull(text(LONG)),
};
const user = Joi.object<ExportUser, true>(userKeys);

const author = Joi.object<ExportAuthor, true>({
  ...userKeys,
  id: snowflake().required(),
  isNicknameKnown: Joi.boolean(),
});

const attachment = Joi.object<ExportAttachment, true>({
  id: anyId().required(),
  url: text(LONG).required(),
  fileName: text(SHORT).required(),
  fileSizeBytes: size(),
  contentType: orNull(text(SHORT)),
  width: pixels(),
  height: pixels(),
  description: orNull(text(LONG)),
  isSpoiler: Joi.boolean(),
});

const media = Joi.object<ExportMedia, true>({
  url: orNull(text(LONG)),
  canonicalUrl: orNull(text(LONG)),
  width: pixels(),
  height: pixels(),
}).allow(null);

const emoji = Joi.object<ExportEmoji, true>({
  id: Joi.string()
    .pattern(/^\d{0,20}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be an id of digits' })
    .allow(null, ''),
  name: text(SHORT).required(),
  isAnimated: Joi.boolean(),
});

const iconKeys = { iconUrl: orNull(text(LONG)), iconCanonicalUrl: orNull(text(LONG)) };

const embed = Joi.object<ExportEmbed, true>({
  type: text(64),
  title: orNull(text(LONG)),
  url: orNull(text(LONG)),
  // A bot may have made up any time.
  timestamp: timestamp(9_999).allow(null),
  description: orNull(text(LONG)),
  color: Joi.alternatives(text(64), size().max(0xffffff)).allow(null),
  author: Joi.object({
    name: orNull(text(LONG)),
    url: orNull(text(LONG)),
    ...iconKeys,
  }).allow(null),
  footer: Joi.object({ text: orNull(text(LONG)), ...iconKeys }).allow(null),
  thumbnail: media,
  image: media,
  images: listOf(media.invalid(null), 100),
  video: media,
  fields: listOf(Joi.object({ name: text(LONG), value: text(LONG), isInline: Joi.boolean() }), 100),
  inlineEmojis: listOf(emoji, 1_000),
});

const sticker = Joi.object<ExportSticker, true>({
  id: anyId().required(),
  name: text(SHORT).required(),
  format: text(64),
  sourceUrl: orNull(text(LONG)),
});

const reaction = Joi.object<ExportReaction, true>({
  emoji: emoji.required(),
  count: size().required(),
  users: listOf(Joi.object({ id: anyId().required() }), 100_000),
});

const reference = Joi.object<ExportReference, true>({
  type: text(64),
  messageId: orNull(anyId()),
  channelId: orNull(anyId()),
  guildId: orNull(anyId()),
});

const forwarded = Joi.object<ExportForwarded, true>({
  timestamp: timestamp().allow(null),
  timestampEdited: timestamp().allow(null),
  content: text(LONG),
  attachments: listOf(attachment, 100),
  embeds: listOf(embed, 100),
  stickers: listOf(sticker, 100),
});

/** A message of the file. Unknown keys are ignored. */
export const messageSchema = Joi.object<ExportMessage, true>({
  id: snowflake().required(),
  type: Joi.alternatives(Joi.string().max(64), size().max(255)).required(),
  timestamp: timestamp().required(),
  timestampEdited: timestamp().allow(null),
  isPinned: Joi.boolean(),
  content: text(LONG).required(),
  author: author.required(),
  attachments: listOf(attachment, 100),
  embeds: listOf(embed, 100),
  stickers: listOf(sticker, 100),
  reactions: listOf(reaction, 1_000),
  mentions: listOf(user, 10_000),
  reference: reference.allow(null),
  forwardedMessage: forwarded.allow(null),
  interaction: Joi.object({
    id: anyId().required(),
    name: orNull(text(SHORT)),
    user: user.required(),
  }).allow(null),
  inlineEmojis: listOf(emoji, 1_000),
  isWebhook: Joi.boolean(),
  mentionedRoles: listOf(
    Joi.object({ id: snowflake().required(), name: text(SHORT).required() }),
    10_000,
  ),
  asOf: timestamp(),
}).required();

/**
 * The options of every check. Types are not converted, unknown keys are ignored, and the check ends at the first
 * problem. The library's own message about a pattern quotes the value, which somebody may have written and which may
 * have any length. So that message is replaced.
 */
export const CHECK: Joi.ValidationOptions = {
  convert: false,
  allowUnknown: true,
  abortEarly: true,
  errors: { wrap: { label: false } },
  messages: { 'string.pattern.base': '{{#label}} has a wrong form' },
};
