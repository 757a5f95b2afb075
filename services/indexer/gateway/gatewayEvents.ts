import Joi from 'joi';
import {
  checkedBy,
  checkThread,
  count,
  emoji,
  listOf,
  message,
  PLACE_TYPES,
  snowflake,
  text,
} from '../../../shared/discordApi/answers.js';
import type { LiveMessage, LivePlace, LiveThread } from '../../../shared/discordApi/answerTypes.js';
import { isPublicThread } from '../../../shared/discordApi/judgeChannel.js';
import { mapEmoji } from '../sources/mapMessage.js';
import type { ReactionChange } from './changeReactions.js';

/**
 * An event of a thread, or of something in it. `changed`: a message has changed, and the event does not tell the whole
 * message. `missed`: after the events before, others were missed.
 */
export type ThreadEvent =
  | { kind: 'message'; message: LiveMessage }
  | { kind: 'messagesDeleted'; messageIds: string[] }
  | { kind: 'reacted'; messageId: string; change: ReactionChange }
  | { kind: 'changed'; messageId: string }
  | { kind: 'thread'; thread: LiveThread & LivePlace }
  | { kind: 'threadDeleted'; channelId?: string }
  | { kind: 'missed' };

/**
 * An event of a server. `role`: a role has this name and these permissions now. `rules`: it may have changed who may
 * see what. `member`: a person has these roles now. `heard`: from now on events tell of the server, and before this
 * they did not. It comes when a session begins, when the bot is added, and when an outage of the server ends. `gained`:
 * the bot may see these forums again, or all forums where none are named. Before this, events did not tell of them.
 * `left`: the bot was removed from the server.
 */
export type ServerEvent =
  | { kind: 'role'; role: { id: string; name: string; permissions: string } }
  | { kind: 'member'; userId: string; roleIds: string[] }
  | { kind: 'rules' }
  | { kind: 'heard' }
  | { kind: 'gained'; channelIds?: string[] }
  | { kind: 'left' };

/** An event that may change what is archived. Without `threadId` it is an event of the server. */
export type GatewayEvent =
  | ({ serverId: string; threadId: string } & ThreadEvent)
  | ({ serverId: string; threadId?: undefined } & ServerEvent);

/** How many messages one event may delete. The platform documents no limit. */
const MOST_IN_BULK = 100_000;

const id = () => snowflake().required();
const onServer = { guild_id: id() };
/** Events of direct and ephemeral messages name no server. */
const inThread = { guild_id: snowflake(), channel_id: id() };
const ofMessage = { ...inThread, message_id: id() };

interface OnServer {
  guild_id: string;
}
interface InThread {
  guild_id?: string;
  channel_id: string;
}
interface OfMessage extends InThread {
  message_id: string;
}
interface OfEmoji extends OfMessage {
  emoji: { id?: string | null; name?: string | null; animated?: boolean };
}

/** Makes the check that an event's data has the given parts. */
const checkParts = <T>(parts: Record<keyof T, Joi.Schema>) =>
  checkedBy<T>(Joi.object<T>(parts).required());

const checkMessageEvent = checkedBy<LiveMessage & InThread & { channel_type?: number }>(
  message.keys({ ...inThread, channel_type: count() }).required(),
);
const checkMessagePlace = checkParts<InThread & { id: string }>({ ...inThread, id: id() });
const checkBulk = checkParts<InThread & { ids: string[] }>({
  ...inThread,
  ids: listOf(snowflake(), MOST_IN_BULK).required(),
});
const checkOfMessage = checkParts<OfMessage>(ofMessage);
const checkOfEmoji = checkParts<OfEmoji>({ ...ofMessage, emoji: emoji().required() });
const checkReaction = checkParts<OfEmoji & { user_id: string }>({
  ...ofMessage,
  user_id: id(),
  emoji: emoji().required(),
});
const checkThreadPlace = checkParts<OnServer & { id: string; parent_id?: string }>({
  ...onServer,
  id: id(),
  parent_id: snowflake(),
});
const checkChannel = checkParts<OnServer & { type: number }>({
  ...onServer,
  type: count().required(),
});
const checkGuild = checkParts<{ id: string; unavailable?: boolean }>({
  id: id(),
  unavailable: Joi.boolean(),
});
const checkOnServer = checkParts<OnServer>(onServer);
const checkGained = checkParts<OnServer & { channel_ids?: string[] }>({
  ...onServer,
  channel_ids: listOf(snowflake(), 1_000),
});
const checkRole = checkParts<
  OnServer & { role: { id: string; name: string; permissions: string } }
>({
  ...onServer,
  role: Joi.object({
    id: id(),
    name: text(2_000).required(),
    permissions: text(40).required(),
  }).required(),
});
const checkMember = checkParts<OnServer & { user: { id: string }; roles: string[] }>({
  ...onServer,
  user: Joi.object({ id: id() }).required(),
  roles: listOf(snowflake(), 1_000).required(),
});

/**
 * Reads an event's data. Returns null where the event changes nothing here. `botId` is the id of the bot's own account.
 */
type Reader = (data: unknown, botId: string) => GatewayEvent | null;

const told: Reader = (data) => {
  const message = checkMessageEvent(data);
  const { guild_id: serverId, channel_id: threadId, channel_type: type } = message;
  // A message without a server is direct or ephemeral: a single person sees it.
  if (serverId === undefined || (type !== undefined && !isPublicThread({ type }))) return null;
  return { kind: 'message', serverId, threadId, message };
};
const thread: Reader = (data) => {
  const found = checkThread(data);
  return { kind: 'thread', serverId: found.guild_id, threadId: found.id, thread: found };
};
const place: Reader = (data) => {
  const { guild_id: serverId, type } = checkChannel(data);
  return PLACE_TYPES.has(type) ? { kind: 'rules', serverId } : null;
};
const role: Reader = (data) => {
  const { guild_id: serverId, role: changed } = checkRole(data);
  return { kind: 'role', serverId, role: changed };
};
const member: Reader = (data, botId) => {
  const { guild_id: serverId, user, roles: roleIds } = checkMember(data);
  if (user.id === botId) return { kind: 'rules', serverId };
  return { kind: 'member', serverId, userId: user.id, roleIds };
};
const edited: Reader = (data, botId) => {
  if (isWhole(data)) return told(data, botId);
  const changed = checkMessagePlace(data);
  return inPlace(changed, { kind: 'changed', messageId: changed.id });
};
const voted: Reader = (data) => {
  const vote = checkOfMessage(data);
  return inPlace(vote, { kind: 'changed', messageId: vote.message_id });
};

/** The reader of each type of event. Events of other types are ignored. */
const READERS: Readonly<Record<string, Reader>> = {
  GUILD_CREATE: (data) => {
    const { id: serverId, unavailable } = checkGuild(data);
    return unavailable ? null : { kind: 'heard', serverId };
  },
  GUILD_UPDATE: (data) => ({ kind: 'rules', serverId: checkGuild(data).id }),
  GUILD_DELETE: (data) => {
    const { id: serverId, unavailable } = checkGuild(data);
    // An outage of the server removes nothing. When it ends, the platform sends GUILD_CREATE.
    return unavailable ? null : { kind: 'left', serverId };
  },
  GUILD_ROLE_CREATE: role,
  GUILD_ROLE_UPDATE: role,
  GUILD_ROLE_DELETE: (data) => ({ kind: 'rules', serverId: checkOnServer(data).guild_id }),
  GUILD_MEMBER_ADD: member,
  GUILD_MEMBER_UPDATE: member,
  CHANNEL_CREATE: place,
  CHANNEL_UPDATE: place,
  CHANNEL_DELETE: place,
  THREAD_CREATE: thread,
  THREAD_UPDATE: thread,
  THREAD_DELETE: (data) => {
    const { guild_id: serverId, id: threadId, parent_id: channelId } = checkThreadPlace(data);
    return { kind: 'threadDeleted', serverId, threadId, ...(channelId && { channelId }) };
  },
  THREAD_LIST_SYNC: (data) => {
    const { guild_id: serverId, channel_ids: channelIds } = checkGained(data);
    return { kind: 'gained', serverId, ...(channelIds && { channelIds }) };
  },
  MESSAGE_CREATE: told,
  MESSAGE_UPDATE: edited,
  MESSAGE_DELETE: (data) => {
    const deleted = checkMessagePlace(data);
    return inPlace(deleted, { kind: 'messagesDeleted', messageIds: [deleted.id] });
  },
  MESSAGE_DELETE_BULK: (data) => {
    const deleted = checkBulk(data);
    return inPlace(deleted, { kind: 'messagesDeleted', messageIds: deleted.ids });
  },
  MESSAGE_REACTION_ADD: (data) => {
    const reaction = checkReaction(data);
    return reacted(reaction, { kind: 'added', emoji: emojiOf(reaction) });
  },
  MESSAGE_REACTION_REMOVE: (data) => {
    const reaction = checkReaction(data);
    const { user_id: userId } = reaction;
    return reacted(reaction, { kind: 'removed', emoji: emojiOf(reaction), userId });
  },
  MESSAGE_REACTION_REMOVE_EMOJI: (data) => {
    const reaction = checkOfEmoji(data);
    return reacted(reaction, { kind: 'emojiCleared', emoji: emojiOf(reaction) });
  },
  MESSAGE_REACTION_REMOVE_ALL: (data) => reacted(checkOfMessage(data), { kind: 'cleared' }),
  MESSAGE_POLL_VOTE_ADD: voted,
  MESSAGE_POLL_VOTE_REMOVE: voted,
};

/**
 * Reads an event of the gateway. Returns null for an event that changes nothing here. Throws what is wrong with its
 * data.
 */
export const readEvent = (type: string, data: unknown, botId: string): GatewayEvent | null =>
  (Object.hasOwn(READERS, type) && READERS[type]?.(data, botId)) || null;

/**
 * Whether an update holds the whole message. Earlier versions of the platform sent only the fields that had changed.
 * The platform may also leave `results` out of an open poll. Then nothing is known about its votes (documentation of
 * the poll object: "unknown results").
 */
function isWhole(data: unknown): boolean {
  const { author, content, timestamp, poll } = (data ?? {}) as Partial<LiveMessage>;
  const hasVotes = !poll || poll.results !== undefined;
  return hasVotes && [author, content, timestamp].every((part) => part !== undefined);
}

/** An event of a thread; null where it names no server. */
function inPlace(
  { guild_id: serverId, channel_id: threadId }: InThread,
  event: ThreadEvent,
): GatewayEvent | null {
  return serverId === undefined ? null : { serverId, threadId, ...event };
}

function reacted(place: OfMessage, change: ReactionChange): GatewayEvent | null {
  return inPlace(place, { kind: 'reacted', messageId: place.message_id, change });
}

function emojiOf({ emoji: { id, name, animated } }: Pick<OfEmoji, 'emoji'>) {
  return mapEmoji({ id: id ?? null, name: name ?? '', isAnimated: animated ?? false });
}
