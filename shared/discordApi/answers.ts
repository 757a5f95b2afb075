import Joi from 'joi';
import { CHECK } from '../exportFormat/exportSchema.js';
import { quickCheck } from '../exportFormat/quickCheck.js';
import { SNOWFLAKE } from '../exportFormat/snowflake.js';
import { isTimestamp } from '../exportFormat/timestamps.js';
import type {
  LiveApplication,
  LiveChannel,
  LiveGateway,
  LiveGuild,
  LiveMember,
  LiveMessage,
  LivePage,
  LivePlace,
  LiveRefreshedUrls,
  LiveThread,
  LiveThreadList,
  Unreadable,
} from './answerTypes.js';

const CATEGORY = 4;
/** The types of forums, and of the categories whose names are shown beside theirs. */
export const PLACE_TYPES: ReadonlySet<number> = new Set([CATEGORY, 15, 16]);

const SHORT = 2_000;
const LONG = 65_536;
/**
 * How many levels of components are read: a container holds sections, which hold texts. A message with more levels has
 * an unknown form. Nothing may be left unchecked in it, as all of its levels would be read.
 */
const COMPONENT_LEVELS = 4;

export const id = () => Joi.string().pattern(/^\d{1,20}$/);
export const snowflake = () => Joi.string().pattern(SNOWFLAKE);
export const text = (max: number) => Joi.string().allow('').max(max);
const textOrNull = (max: number) => text(max).allow(null);
export const count = () => Joi.number().integer().min(0);
const hash = () => Joi.string().pattern(/^\w{1,64}$/);
export const bits = () => Joi.string().pattern(/^\d{1,40}$/);
const pixels = () => Joi.number().min(0).allow(null);
const timestamp = () =>
  Joi.string().custom((value: string, helpers) =>
    isTimestamp(value, 9_999) ? value : helpers.error('any.invalid'),
  );
export const listOf = (schema: Joi.Schema, max: number) => Joi.array().items(schema).max(max);

const user = () =>
  Joi.object({
    id: snowflake().required(),
    username: text(SHORT).required(),
    avatar: hash().allow(null),
    discriminator: textOrNull(16),
    global_name: textOrNull(SHORT),
    bot: Joi.boolean(),
  });

const guild = Joi.object({
  id: snowflake().required(),
  name: text(SHORT).required(),
  icon: hash().allow(null),
  description: textOrNull(LONG),
  nsfw_level: count(),
  approximate_member_count: count().allow(null),
  owner_id: snowflake(),
  roles: listOf(
    Joi.object({
      id: snowflake().required(),
      name: text(SHORT).required(),
      permissions: bits().required(),
    }),
    1_000,
  ).required(),
  emojis: listOf(Joi.object({ id: snowflake().required(), name: textOrNull(SHORT) }), 10_000),
}).required();

const channel = Joi.object({
  id: snowflake().required(),
  type: count().required(),
  guild_id: snowflake(),
  name: textOrNull(SHORT),
  topic: textOrNull(LONG),
  position: Joi.number().integer(),
  parent_id: snowflake().allow(null),
  nsfw: Joi.boolean().allow(null),
  flags: count().allow(null),
  permission_overwrites: listOf(
    Joi.object({
      id: snowflake().required(),
      type: count().required(),
      allow: bits().required(),
      deny: bits().required(),
    }),
    10_000,
  ).allow(null),
  available_tags: listOf(
    Joi.object({
      id: snowflake().required(),
      name: text(SHORT).required(),
      moderated: Joi.boolean(),
      emoji_id: id().allow(null),
      emoji_name: textOrNull(SHORT),
    }),
    1_000,
  ).allow(null),
});

export const thread = Joi.object({
  id: snowflake().required(),
  type: count().required(),
  guild_id: snowflake(),
  parent_id: snowflake().allow(null),
  name: text(SHORT).required(),
  owner_id: snowflake().allow(null),
  applied_tags: listOf(snowflake(), 100),
  thread_metadata: Joi.object({
    archived: Joi.boolean().required(),
    archive_timestamp: timestamp().required().allow(null),
    locked: Joi.boolean(),
  }).required(),
  flags: count(),
  message_count: count(),
  total_message_sent: count(),
  last_message_id: snowflake().allow(null),
});

const attachment = Joi.object({
  id: snowflake().required(),
  filename: text(SHORT).required(),
  url: text(LONG).required(),
  content_type: textOrNull(SHORT),
  size: count(),
  flags: count(),
  width: pixels(),
  height: pixels(),
  description: textOrNull(LONG),
});

const media = () => Joi.object({ url: textOrNull(LONG), width: pixels(), height: pixels() });

const embed = Joi.object({
  type: text(64),
  title: textOrNull(LONG),
  url: textOrNull(LONG),
  timestamp: timestamp().allow(null),
  description: textOrNull(LONG),
  color: count().max(0xffffff).allow(null),
  author: Joi.object({ name: textOrNull(LONG), url: textOrNull(LONG), icon_url: textOrNull(LONG) }),
  footer: Joi.object({ text: textOrNull(LONG), icon_url: textOrNull(LONG) }),
  thumbnail: media(),
  image: media(),
  video: media(),
  fields: listOf(Joi.object({ name: text(LONG), value: text(LONG), inline: Joi.boolean() }), 100),
});

const member = () => Joi.object({ nick: textOrNull(SHORT), roles: listOf(snowflake(), 1_000) });

export const emoji = () =>
  Joi.object({ id: id().allow(null), name: textOrNull(SHORT), animated: Joi.boolean() });

const unfurled = () =>
  Joi.object({
    url: text(LONG).required(),
    attachment_id: snowflake().allow(null),
    content_type: textOrNull(SHORT),
    width: pixels(),
    height: pixels(),
  });

const component = (levels: number): Joi.ObjectSchema =>
  Joi.object({
    type: count().required(),
    content: text(LONG),
    spoiler: Joi.boolean(),
    media: unfurled(),
    description: textOrNull(LONG),
    items: listOf(
      Joi.object({
        media: unfurled().required(),
        description: textOrNull(LONG),
        spoiler: Joi.boolean(),
      }),
      100,
    ),
    file: unfurled(),
    name: textOrNull(SHORT),
    size: count().allow(null),
    components: levels > 1 ? listOf(component(levels - 1), 100) : Joi.forbidden(),
    accessory: levels > 1 ? component(levels - 1) : Joi.forbidden(),
  });

const snapshot = {
  mentions: listOf(user().keys({ member: member() }), 10_000),
  mention_roles: listOf(snowflake(), 10_000),
  content: text(LONG),
  timestamp: timestamp(),
  edited_timestamp: timestamp().allow(null),
  attachments: listOf(attachment, 100),
  embeds: listOf(embed, 100),
  sticker_items: listOf(
    Joi.object({
      id: snowflake().required(),
      name: text(SHORT).required(),
      format_type: count().required(),
    }),
    100,
  ),
  components: listOf(component(COMPONENT_LEVELS), 100),
};

export const message = Joi.object({
  ...snapshot,
  id: snowflake().required(),
  channel_id: snowflake().required(),
  type: count().required(),
  author: user().required(),
  member: member(),
  content: text(LONG).required(),
  timestamp: timestamp().required(),
  pinned: Joi.boolean(),
  flags: count(),
  webhook_id: snowflake(),
  application_id: snowflake(),
  reactions: listOf(Joi.object({ count: count().required(), emoji: emoji().required() }), 1_000),
  message_reference: Joi.object({
    type: count(),
    message_id: snowflake(),
    channel_id: snowflake(),
    guild_id: snowflake(),
  }),
  message_snapshots: listOf(Joi.object({ message: Joi.object(snapshot).required() }), 10),
  poll: Joi.object({
    question: Joi.object({ text: text(SHORT) }).required(),
    answers: listOf(
      Joi.object({
        answer_id: count().required(),
        poll_media: Joi.object({ text: text(SHORT), emoji: emoji() }).required(),
      }),
      100,
    ).required(),
    results: Joi.object({
      answer_counts: listOf(
        Joi.object({ id: count().required(), count: count().required() }),
        100,
      ).required(),
    }),
  }),
  interaction_metadata: Joi.object({
    id: snowflake().required(),
    name: text(SHORT),
    user: user(),
  }),
  interaction: Joi.object({
    id: snowflake().required(),
    name: text(SHORT).required(),
    user: user(),
  }),
});

/** Makes the check of an answer. It returns the answer with its type, or throws what is wrong with it. */
export function checkedBy<T>(schema: Joi.Schema<T>): (answer: unknown) => T {
  const passes = quickCheck(schema);
  return (answer) => {
    if (passes(answer)) return answer as T;
    const { error } = schema.validate(answer, CHECK);
    if (error) throw error;
    return answer as T;
  };
}

export const checkGuild = checkedBy<LiveGuild>(guild);
const checkTypes = checkedBy<{ id: string; type: number }[]>(
  listOf(Joi.object({ id: snowflake().required(), type: count().required() }), 10_000).required(),
);
const checkPlaces = checkedBy<LiveChannel[]>(listOf(channel, 10_000).required());
/**
 * Reads the forums and categories of a list of channels. The others are left out, whatever their form. So a new kind of
 * channel does not keep a server from being looked at.
 */
export function checkChannels(answer: unknown): LiveChannel[] {
  return checkPlaces(checkTypes(answer).filter(({ type }) => PLACE_TYPES.has(type)));
}
/** A channel or a thread of a server. */
export const checkPlace = checkedBy<LivePlace>(
  Joi.object({
    id: snowflake().required(),
    guild_id: snowflake().required(),
    type: count().required(),
  }).required(),
);
/** A thread in the answer to a request for a channel or thread. */
export const checkThread = checkedBy<LiveThread & LivePlace>(
  thread.keys({ guild_id: snowflake().required() }).required(),
);
export const checkUser = checkedBy<{ id: string }>(
  Joi.object({ id: snowflake().required() }).required(),
);
export const checkMessage = checkedBy<LiveMessage>(message.required());
const entries = (max: number) => listOf(Joi.object({ id: snowflake().required() }), max).required();
/** A page of servers or messages. Only the ids of its entries are checked. */
export const checkEntries = checkedBy<{ id: string }[]>(entries(1_000));
/** Reads the messages of a page. A message that cannot be read is listed apart, and the others are taken. */
export function readEntries(page: readonly { id: string }[]): LivePage {
  const { read: messages, unreadable } = readEach(page, checkMessage);
  return { messages, unreadable };
}
const checkThreadEntries = checkedBy<{ threads: { id: string }[]; has_more?: boolean }>(
  Joi.object({ threads: entries(100_000), has_more: Joi.boolean() }).required(),
);
const checkListed = checkedBy<LiveThread>(thread.required());
/** Reads a list of threads. A thread that cannot be read is listed apart, and the others are taken. */
export function checkThreadList(answer: unknown): LiveThreadList {
  const list = checkThreadEntries(answer);
  const { read: threads, unreadable } = readEach(list.threads, checkListed);
  return { ...list, threads, unreadable };
}

function readEach<T>(
  parts: readonly { id: string }[],
  check: (part: unknown) => T,
): { read: T[]; unreadable: Unreadable } {
  const all = { read: [] as T[], unreadable: [] as Unreadable };
  for (const part of parts) {
    try {
      all.read.push(check(part));
    } catch (error) {
      all.unreadable.push({ id: part.id, reason: (error as Error).message });
    }
  }
  return all;
}
export const checkRefreshedUrls = checkedBy<LiveRefreshedUrls>(
  Joi.object({
    refreshed_urls: listOf(
      Joi.object({ original: text(LONG).required(), refreshed: textOrNull(LONG).required() }),
      1_000,
    ).required(),
  }).required(),
);
export const checkApplication = checkedBy<LiveApplication>(
  Joi.object({ id: snowflake().required(), name: text(SHORT), flags: count() }).required(),
);
export const checkMember = checkedBy<LiveMember>(
  Joi.object({
    roles: listOf(snowflake(), 1_000).required(),
    user: Joi.object({ id: snowflake().required() }),
  }).required(),
);
export const checkGateway = checkedBy<LiveGateway>(
  Joi.object({
    url: text(SHORT).required(),
    session_start_limit: Joi.object({
      total: count().required(),
      remaining: count().required(),
      reset_after: count().required(),
    }).required(),
  }).required(),
);
