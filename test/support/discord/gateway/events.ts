import {
  ChannelType,
  GatewayDispatchEvents as Event,
  GatewayIntentBits as Intent,
  type GatewayGuildCreateDispatchData,
} from 'discord-api-types/v10';
import type { Change } from '../model/changes.js';
import type { Channel, Guild, Thread } from '../model/entities.js';
import {
  presentChannel,
  presentHidden,
  presentThread,
  type AnyChannel,
} from '../present/presentChannel.js';
import { presentGuild, presentRole } from '../present/presentGuild.js';
import { presentMember, presentUser } from '../present/presentUser.js';
import { isoOf } from '../present/times.js';
import type { AccessChange } from './access.js';
import { messageEvents, messageTold } from './messageEvents.js';
import {
  event,
  isSeen,
  type Audience,
  type ChangeOf,
  type DataOf,
  type Outgoing,
} from './outgoing.js';

/** The events about a change. They tell only what the bot may see. */
export function eventsOf(audience: Audience, change: Change, moved: AccessChange): Outgoing[] {
  switch (change.kind) {
    case 'guildCreated':
      return [guildCreated(audience, change.guild)];
    case 'guildUpdated':
      return [event(Event.GuildUpdate, Intent.Guilds, presentGuild(change.guild))];
    case 'guildDeleted':
      return [guildGone(change.guild, {})];
    case 'guildAvailability':
      return change.guild.isUnavailable
        ? [guildGone(change.guild, { unavailable: true })]
        : [guildCreated(audience, change.guild)];
    case 'roleCreated':
    case 'roleUpdated':
    case 'roleDeleted':
      return [roleChanged(change), ...accessGained(audience, change.guild, moved.gained)];
    case 'memberAdded':
    case 'memberUpdated':
    case 'memberRemoved':
      return [
        memberChanged(audience, change),
        ...accessGained(audience, change.guild, moved.gained),
      ];
    case 'channelCreated':
    case 'channelUpdated':
    case 'channelDeleted':
      return channelChanged(audience, change, moved);
    case 'threadCreated':
      return isSeen(audience, change.thread.parentId) ? threadCreated(audience, change) : [];
    case 'threadUpdated':
    case 'threadDeleted':
      return isSeen(audience, change.thread.parentId) ? [threadChanged(change)] : [];
    case 'messageCreated':
    case 'messageUpdated':
    case 'messageDeleted':
    case 'messagesDeleted':
    case 'pinsChanged':
    case 'reactionAdded':
    case 'reactionRemoved':
    case 'reactionsCleared':
    case 'voted':
    case 'ephemeral':
      return messageEvents(audience, change);
  }
}

/** The event about a guild, with the channels that the bot may see and all active threads. */
export function guildCreated(audience: Audience, guild: Guild): Outgoing {
  const { model } = audience;
  const channels = [...model.channels.values()].filter(({ guildId }) => guildId === guild.id);
  const own = guild.members.get(model.bot.id);
  return event(Event.GuildCreate, Intent.Guilds, {
    ...presentGuild(guild),
    joined_at: isoOf(own?.joinedAt ?? 0),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: own ? [presentMember(own)] : [],
    channels: channels.map((channel) => seen(audience, channel)),
    threads: activeThreads(audience, channels).map(presentThread),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  } as unknown as GatewayGuildCreateDispatchData);
}

function guildGone({ id }: Guild, state: { unavailable?: boolean }): Outgoing {
  return { t: Event.GuildDelete, intent: Intent.Guilds, d: { id, ...state } };
}

function roleChanged({
  kind,
  guild,
  role,
}: ChangeOf<'roleCreated' | 'roleUpdated' | 'roleDeleted'>): Outgoing {
  const ids = { guild_id: guild.id };
  if (kind === 'roleDeleted') {
    return event(Event.GuildRoleDelete, Intent.Guilds, { ...ids, role_id: role.id });
  }
  const t = kind === 'roleCreated' ? Event.GuildRoleCreate : Event.GuildRoleUpdate;
  return event(t, Intent.Guilds, { ...ids, role: presentRole(role) });
}

/** Updates of the bot itself need no intent. */
function memberChanged(
  { model }: Audience,
  { kind, guild, member }: ChangeOf<'memberAdded' | 'memberUpdated' | 'memberRemoved'>,
): Outgoing {
  const place = { guild_id: guild.id };
  if (kind === 'memberRemoved') {
    const user = presentUser(member.user);
    return event(Event.GuildMemberRemove, Intent.GuildMembers, { ...place, user });
  }
  const data = { ...presentMember(member), ...place };
  if (kind === 'memberAdded') return event(Event.GuildMemberAdd, Intent.GuildMembers, data);
  const intent = member.user.id === model.bot.id ? 0 : Intent.GuildMembers;
  return event(Event.GuildMemberUpdate, intent, { ...data, avatar: null, banner: null });
}

const CHANNEL_EVENTS = {
  channelCreated: Event.ChannelCreate,
  channelUpdated: Event.ChannelUpdate,
  channelDeleted: Event.ChannelDelete,
} as const;

/**
 * Where a channel's own permissions hide it, an obfuscated channel tells so. Where a role is the reason, no event tells
 * it.
 */
function channelChanged(
  audience: Audience,
  { kind, channel }: ChangeOf<'channelCreated' | 'channelUpdated' | 'channelDeleted'>,
  { gained, lost }: AccessChange,
): Outgoing[] {
  const guild = audience.model.guilds.get(channel.guildId)!;
  const isGained = gained.some(({ id }) => id === channel.id);
  if (kind === 'channelUpdated' && isGained) return accessGained(audience, guild, [channel]);
  const wasSeen = isSeen(audience, channel.id) || lost.some(({ id }) => id === channel.id);
  if (kind === 'channelUpdated' && !wasSeen) return [];
  const t = CHANNEL_EVENTS[kind];
  const data =
    kind === 'channelDeleted' && wasSeen ? presentChannel(channel) : seen(audience, channel);
  return [channelEvent(t, data)];
}

/** The channels that the bot may see again, with their active threads. */
function accessGained(audience: Audience, guild: Guild, gained: readonly Channel[]): Outgoing[] {
  if (gained.length === 0) return [];
  return [
    ...gained.map((channel) => channelEvent(Event.ChannelUpdate, presentChannel(channel))),
    event(Event.ThreadListSync, Intent.Guilds, {
      guild_id: guild.id,
      channel_ids: gained.map(({ id }) => id),
      threads: activeThreads(audience, gained).map(presentThread),
      members: [],
    }),
  ];
}

function channelEvent(
  t: Event.ChannelCreate | Event.ChannelUpdate | Event.ChannelDelete,
  channel: AnyChannel,
): Outgoing {
  return event(t, Intent.Guilds, channel as DataOf<typeof t>);
}

function threadCreated(
  audience: Audience,
  { thread, starter }: ChangeOf<'threadCreated'>,
): Outgoing[] {
  const created = event(Event.ThreadCreate, Intent.Guilds, {
    ...presentThread(thread),
    newly_created: true,
  });
  const first = starter ? [messageTold(audience, Event.MessageCreate, starter)] : [];
  return audience.starterFirst ? [...first, created] : [created, ...first];
}

function threadChanged({ kind, thread }: ChangeOf<'threadUpdated' | 'threadDeleted'>): Outgoing {
  if (kind === 'threadUpdated') {
    return event(Event.ThreadUpdate, Intent.Guilds, presentThread(thread));
  }
  const { id, guildId, parentId } = thread;
  const type = ChannelType.PublicThread;
  return event(Event.ThreadDelete, Intent.Guilds, {
    id,
    guild_id: guildId,
    parent_id: parentId,
    type,
  });
}

function activeThreads({ model, access }: Audience, channels: readonly Channel[]): Thread[] {
  const ids = new Set(channels.map(({ id }) => id));
  return [...model.threads.values()].filter(
    ({ isArchived, parentId }) => !isArchived && ids.has(parentId) && access.has(parentId),
  );
}

function seen(audience: Audience, channel: Channel): AnyChannel {
  return isSeen(audience, channel.id) ? presentChannel(channel) : presentHidden(channel);
}
