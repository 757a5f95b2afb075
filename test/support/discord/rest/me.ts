import { ApplicationFlags } from 'discord-api-types/v10';
import { compareIds } from '../../../../services/indexer/views/tallyPeople.js';
import { presentMyGuild } from '../present/presentGuild.js';
import { presentUser } from '../present/presentUser.js';
import type { Settings } from '../settings.js';
import { idOf, numberOf, type Handler } from './call.js';

/** The account of the bot. */
export const getMe: Handler = ({ model }) => ({
  ...presentUser(model.bot),
  mfa_enabled: true,
  locale: 'en-US',
  premium_type: 0,
  email: null,
  verified: true,
});

/** The application of the bot. Its flags tell which intents the developer portal grants. */
export const getApplication: Handler = ({ model, settings }) => {
  const { id, username } = model.bot;
  const flags = applicationFlags(settings);
  return {
    id,
    name: username,
    icon: null,
    description: 'Archives forums',
    type: null,
    bot: presentUser(model.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: 'f'.repeat(64),
    flags,
    flags_new: String(flags),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: presentUser(model.bot),
    team: null,
    eligible_oauth2_scopes: ['bot'],
    approximate_guild_count: model.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    integration_types_config: {},
  };
};

/** The guilds that the bot is in, by id. */
export const listMyGuilds: Handler = (call) => {
  const { model } = call;
  const limit = numberOf(call, 'limit', { least: 1, most: 200, usual: 200 });
  const [before, after] = [idOf(call, 'before'), idOf(call, 'after')];
  const guilds = [...model.guilds.values()]
    .filter(({ members }) => members.has(model.bot.id))
    .filter(({ id }) => before === undefined || compareIds(id, before) < 0)
    .filter(({ id }) => after === undefined || compareIds(id, after) > 0)
    .sort((left, right) => compareIds(left.id, right.id));
  const isBackwards = before !== undefined && after === undefined;
  const page = isBackwards ? guilds.slice(-limit) : guilds.slice(0, limit);
  return page.map((guild) => presentMyGuild(model, guild));
};

/** The address of the gateway. */
export const getGateway: Handler = ({ gatewayUrl }) => ({ url: gatewayUrl });

/** The address of the gateway, and how many sessions may still be started today. */
export const getGatewayBot: Handler = ({ gatewayUrl, settings, identifiesLeft }) => ({
  url: gatewayUrl,
  shards: 1,
  session_start_limit: {
    total: settings.identifiesPerDay,
    remaining: identifiesLeft(),
    max_concurrency: 1,
    reset_after: 86_400_000,
  },
});

/** The flags of the bot's application. */
export function applicationFlags({ messageContent, guildMembers }: Settings): number {
  return (
    (messageContent ? ApplicationFlags.GatewayMessageContentLimited : 0) |
    (guildMembers ? ApplicationFlags.GatewayGuildMembersLimited : 0)
  );
}
