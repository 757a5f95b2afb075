import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel, Guild, Overwrite } from './entities.js';
import { need, type State } from './state.js';

const { Administrator, ViewChannel, ReadMessageHistory } = PermissionFlagsBits;
const EVERYTHING = (1n << 53n) - 1n;

/** The permissions that reading a channel needs: to see it, and to read its history. */
export const READING = ViewChannel | ReadMessageHistory;

type Places = Pick<State, 'guilds' | 'channels' | 'threads'>;

/** The channel whose permissions count: the parent of a thread, or the channel itself. Undefined where it is gone. */
export function ruledBy({ channels, threads }: Places, channelId: string): Channel | undefined {
  return channels.get(threads.get(channelId)?.parentId ?? channelId);
}

/** The permissions of a user in a channel or thread, computed as the platform does. */
export function permissionsOf(places: Places, userId: string, channelId: string): bigint {
  const channel = ruledBy(places, channelId);
  if (!channel) return 0n;
  const guild = need(places.guilds, channel.guildId, 'guild');
  const member = guild.members.get(userId);
  if (!member) return 0n;
  if (guild.ownerId === userId) return EVERYTHING;
  const base = basePermissions(guild, member.roleIds);
  if (base & Administrator) return EVERYTHING;
  const ofRoles = channel.overwrites.filter(({ id }) => member.roleIds.includes(id));
  const steps = [
    channel.overwrites.filter(({ id }) => id === guild.id),
    ofRoles,
    channel.overwrites.filter(({ id, type }) => type === 1 && id === userId),
  ];
  return withoutHidden(steps.reduce(applyOverwrites, base));
}

/** The permissions of a member with these roles, before the overwrites of a channel. */
export function basePermissions(guild: Guild, roleIds: readonly string[]): bigint {
  return [guild.id, ...roleIds].reduce(
    (sum, id) => sum | (guild.roles.get(id)?.permissions ?? 0n),
    0n,
  );
}

/** Whether everybody may see a channel or thread, and read its history. */
export function isPublic(places: Places, channelId: string): boolean {
  const channel = ruledBy(places, channelId);
  if (!channel) return false;
  const guild = need(places.guilds, channel.guildId, 'guild');
  const base = basePermissions(guild, []);
  if (base & Administrator) return true;
  const own = channel.overwrites.filter(({ id }) => id === guild.id);
  return (applyOverwrites(base, own) & READING) === READING;
}

function applyOverwrites(base: bigint, overwrites: readonly Overwrite[]): bigint {
  const denied = overwrites.reduce((sum, { deny }) => sum | deny, 0n);
  const allowed = overwrites.reduce((sum, { allow }) => sum | allow, 0n);
  return (base & ~denied) | allowed;
}

function withoutHidden(permissions: bigint): bigint {
  return permissions & ViewChannel ? permissions : 0n;
}
