import type { APIGuild, APIRole } from 'discord-api-types/v10';
import type { Guild, Role } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';
import { basePermissions } from '../model/permissions.js';

/** A guild in the form of GET /guilds/{id}. */
export function presentGuild(guild: Guild): APIGuild {
  const { id, name, icon, description, ownerId, nsfwLevel, roles, emojis } = guild;
  const settings = {
    home_header: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    application_id: null,
    region: 'deprecated',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 1,
    default_message_notifications: 1,
    mfa_level: 0,
    explicit_content_filter: 2,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: 'en-US',
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    incidents_data: null,
    stickers: [],
  };
  // The platform's description has this field, but the types do not.
  const nsfw = nsfwLevel === 1 || nsfwLevel === 3;
  return {
    ...({ ...settings, nsfw, features: ['COMMUNITY'] } as unknown as APIGuild),
    id,
    name,
    icon,
    description,
    owner_id: ownerId,
    nsfw_level: nsfwLevel,
    roles: [...roles.values()].map(presentRole),
    emojis: emojis.map((emoji) => ({
      ...emoji,
      roles: [],
      require_colons: true,
      managed: false,
      animated: false,
      available: true,
    })),
  };
}

/** A guild in the form of GET /users/@me/guilds. */
export function presentMyGuild({ bot }: DiscordModel, guild: Guild): object {
  const roleIds = guild.members.get(bot.id)?.roleIds ?? [];
  const { id, name, icon } = guild;
  return {
    id,
    name,
    icon,
    banner: null,
    owner: false,
    features: ['COMMUNITY'],
    permissions: String(basePermissions(guild, roleIds)),
  };
}

/** No flags, with the type of flags, which a plain 0 does not have. */
const NO_FLAGS: number = 0;

/** A role of a guild. */
export function presentRole({ id, name, permissions, position, color, botId }: Role): APIRole {
  const looks = {
    color,
    hoist: false,
    icon: null,
    unicode_emoji: null,
    colors: { primary_color: color, secondary_color: null, tertiary_color: null },
  };
  return {
    id,
    name,
    permissions: String(permissions),
    position,
    flags: NO_FLAGS,
    ...looks,
    managed: botId !== null,
    mentionable: false,
    ...(botId === null ? {} : { tags: { bot_id: botId } }),
  };
}
