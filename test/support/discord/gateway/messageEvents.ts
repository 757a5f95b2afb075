import {
  ChannelType,
  GatewayDispatchEvents as Event,
  GatewayIntentBits as Intent,
  ReactionType,
  type APIPoll,
  type GatewayMessageCreateDispatchData,
} from 'discord-api-types/v10';
import type { Message } from '../model/entities.js';
import { presentEmoji, presentMessage } from '../present/presentMessage.js';
import { presentMember, presentMemberAlone } from '../present/presentUser.js';
import { isoOf } from '../present/times.js';
import { event, isSeen, type Audience, type ChangeOf, type Outgoing } from './outgoing.js';

/** Changes of messages, reactions and polls. */
type MessageChange = ChangeOf<
  | `message${'Created' | 'Updated' | 'Deleted'}`
  | `reaction${'Added' | 'Removed'}`
  | 'messagesDeleted'
  | 'pinsChanged'
  | 'reactionsCleared'
  | 'voted'
  | 'ephemeral'
>;

/** The events about a change of a message, if the bot may see its channel. */
export function messageEvents(audience: Audience, change: MessageChange): Outgoing[] {
  const channelId = 'message' in change ? change.message.channelId : change.channelId;
  if (!isSeen(audience, audience.model.threads.get(channelId)?.parentId ?? channelId)) return [];
  return [messageEvent(audience, change)];
}

function messageEvent(audience: Audience, change: MessageChange): Outgoing {
  const { GuildMessages, GuildMessageReactions, GuildMessagePolls } = Intent;
  switch (change.kind) {
    case 'messageCreated':
      return messageTold(audience, Event.MessageCreate, change.message);
    case 'messageUpdated':
      return messageTold(audience, Event.MessageUpdate, change.message);
    case 'messageDeleted': {
      const { id, channelId, guildId } = change.message;
      const d = { id, channel_id: channelId, guild_id: guildId };
      return event(Event.MessageDelete, GuildMessages, d);
    }
    case 'messagesDeleted': {
      const { ids, channelId, guildId } = change;
      const d = { ids, channel_id: channelId, guild_id: guildId };
      return event(Event.MessageDeleteBulk, GuildMessages, d);
    }
    case 'pinsChanged': {
      const { channelId, guildId, lastPinAt } = change;
      return event(Event.ChannelPinsUpdate, Intent.Guilds, {
        channel_id: channelId,
        guild_id: guildId,
        last_pin_timestamp: lastPinAt === null ? null : isoOf(lastPinAt),
      });
    }
    case 'reactionAdded':
    case 'reactionRemoved':
      return reactionChanged(audience, change);
    case 'reactionsCleared': {
      const place = placeOf(change.message);
      if (!change.emoji) return event(Event.MessageReactionRemoveAll, GuildMessageReactions, place);
      const d = { ...place, emoji: presentEmoji(change.emoji) };
      return event(Event.MessageReactionRemoveEmoji, GuildMessageReactions, d);
    }
    case 'voted': {
      const d = { ...placeOf(change.message), user_id: change.userId, answer_id: change.answerId };
      return event(Event.MessagePollVoteAdd, GuildMessagePolls, d);
    }
    case 'ephemeral': {
      const { t, d } = messageTold(audience, Event.MessageCreate, change.message);
      const { guild_id: _guild, ...data } = d as GatewayMessageCreateDispatchData;
      return { t, intent: GuildMessages, d: data };
    }
  }
}

/** A message with the fields that only events have: its guild and the member. An open poll has no votes. */
export function messageTold(
  audience: Audience,
  t: Event.MessageCreate | Event.MessageUpdate,
  message: Message,
): Outgoing {
  const { members } = audience.model.guilds.get(message.guildId)!;
  const author = message.webhook ? undefined : members.get(message.authorId);
  const { reactions: _reactions, poll, ...presented } = presentMessage(audience, message);
  return event(t, Intent.GuildMessages, {
    ...presented,
    guild_id: message.guildId,
    ...(poll ? { poll: message.poll?.isFinal ? poll : withoutVotes(poll) } : {}),
    channel_type: audience.model.threads.has(message.channelId)
      ? ChannelType.PublicThread
      : ChannelType.GuildText,
    ...(author ? { member: presentMemberAlone(author) } : {}),
    mentions: presented.mentions.map((user) => {
      const member = members.get(user.id);
      return { ...user, ...(member ? { member: presentMemberAlone(member) } : {}) };
    }),
  });
}

function withoutVotes({ results: _results, ...poll }: APIPoll): APIPoll {
  return poll;
}

function reactionChanged(
  { model }: Audience,
  { kind, message, userId, emoji }: ChangeOf<'reactionAdded' | 'reactionRemoved'>,
): Outgoing {
  const data = {
    ...placeOf(message),
    user_id: userId,
    emoji: presentEmoji(emoji),
    burst: false,
    type: ReactionType.Normal,
  };
  if (kind === 'reactionRemoved') {
    return event(Event.MessageReactionRemove, Intent.GuildMessageReactions, data);
  }
  const member = model.guilds.get(message.guildId)?.members.get(userId);
  return event(Event.MessageReactionAdd, Intent.GuildMessageReactions, {
    ...data,
    message_author_id: message.authorId,
    ...(member ? { member: presentMember(member) } : {}),
  });
}

function placeOf({ id, channelId, guildId }: Message): {
  message_id: string;
  channel_id: string;
  guild_id: string;
} {
  return { message_id: id, channel_id: channelId, guild_id: guildId };
}
