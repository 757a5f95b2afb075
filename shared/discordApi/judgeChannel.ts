import type { LiveChannel, LiveGuild } from './answerTypes.js';

const ADMINISTRATOR = 1n << 3n;
const VIEW_CHANNEL = 1n << 10n;
const READ_MESSAGE_HISTORY = 1n << 16n;
const READABLE = VIEW_CHANNEL | READ_MESSAGE_HISTORY;
/** The permissions that a bot needs, as a number of the platform. */
export const BOT_PERMISSIONS = READABLE;
const ROLE = 0;
const MEMBER = 1;
const FORUM_TYPES = new Set([15, 16]);
/** The types of announcement threads and of ordinary threads. Private threads have another type. */
const PUBLIC_THREAD_TYPES = new Set([10, 11]);
const HIDDEN = 1 << 17;
const SPOILER = 1 << 21;
const AGE_RESTRICTED_LEVELS = new Set([1, 3]);

/** What a channel is judged by. */
export interface Judged {
  guild: Pick<LiveGuild, 'id' | 'nsfw_level' | 'owner_id' | 'roles'>;
  channel: LiveChannel;
  bot: { userId: string; roleIds: readonly string[] };
  /**
   * Channels that the operator names. They are archived even if they are private, age-restricted or spoiler channels.
   */
  named: ReadonlySet<string>;
}

/** Whether a channel is a forum that the platform shows. Forums with the flag HIDDEN are never recorded. */
export function isVisibleForum({ type, flags }: LiveChannel): boolean {
  return FORUM_TYPES.has(type) && ((flags ?? 0) & HIDDEN) === 0;
}

/** Whether a place is a thread that everybody who may read its channel may read. */
export function isPublicThread({ type }: { type: number }): boolean {
  return PUBLIC_THREAD_TYPES.has(type);
}

/** Why a forum is not archived; null where it is. */
export function judgeChannel(judged: Judged): string | null {
  return judgePublicness(judged) ?? judgeBot(judged);
}

/**
 * Why a forum is not open to everybody, whatever the bot may do; null where it is. Where the platform does not tell a
 * forum's own overwrites, they may close it. So it counts as closed.
 */
export function judgePublicness({ guild, channel, named }: Omit<Judged, 'bot'>): string | null {
  if (named.has(channel.id)) return null;
  if (!channel.permission_overwrites) return 'The platform does not tell who may read it';
  const everyone = permissionsOf(guild, channel, { userId: '', roleIds: [] });
  if ((everyone & READABLE) !== READABLE) return 'Not everyone on the server may read it';
  if (AGE_RESTRICTED_LEVELS.has(guild.nsfw_level ?? 0)) return 'The server is age-restricted';
  if (channel.nsfw) return 'It is age-restricted';
  if (((channel.flags ?? 0) & SPOILER) !== 0) return 'It is a spoiler channel';
  return null;
}

/** Why nothing of a server is archived, and what to change; null where one of its forums is. */
export function nothingToArchive(judged: readonly { problem: string | null }[]): string | null {
  if (judged.some(({ problem }) => problem === null)) return null;
  if (judged.length === 0) return 'The bot sees no forum here: let it view one';
  return 'None of its forums is public: let everyone view one and read its history, or name it in DISCORD_ALSO_CHANNELS';
}

function judgeBot({ guild, channel, bot }: Judged): string | null {
  const own = permissionsOf(guild, channel, bot);
  if ((own & VIEW_CHANNEL) === 0n) return 'The bot lacks the permission View Channel';
  const canRead = (own & READ_MESSAGE_HISTORY) !== 0n;
  return canRead ? null : 'The bot lacks the permission Read Message History';
}

/**
 * What a member may do in a channel. Roles count first, and then the channel's own overwrites, in the platform's order.
 */
function permissionsOf(
  guild: Judged['guild'],
  { permission_overwrites: overwrites }: LiveChannel,
  { userId, roleIds }: Judged['bot'],
): bigint {
  const roles = new Set([guild.id, ...roleIds]);
  const base = guild.roles
    .filter(({ id }) => roles.has(id))
    .reduce((bits, { permissions }) => bits | BigInt(permissions), 0n);
  if ((base & ADMINISTRATOR) !== 0n || guild.owner_id === userId) return ~0n;
  const all = overwrites ?? [];
  const forEveryone = all.filter(({ id }) => id === guild.id);
  const forRoles = all.filter(({ id, type }) => type === ROLE && id !== guild.id && roles.has(id));
  const forMember = all.filter(({ id, type }) => type === MEMBER && id === userId);
  return [forEveryone, forRoles, forMember].reduce(applyOverwrites, base);
}

function applyOverwrites(
  bits: bigint,
  overwrites: NonNullable<LiveChannel['permission_overwrites']>,
): bigint {
  const union = (name: 'allow' | 'deny') =>
    overwrites.reduce((sum, one) => sum | BigInt(one[name]), 0n);
  return (bits & ~union('deny')) | union('allow');
}
