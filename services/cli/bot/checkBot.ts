import {
  grantedIntents,
  LACKS_MESSAGE_CONTENT,
} from '../../../shared/discordApi/grantedIntents.js';
import type { GrantedIntents } from '../../../shared/discordApi/grantedIntents.js';
import {
  BOT_PERMISSIONS,
  isVisibleForum,
  judgeChannel,
  nothingToArchive,
} from '../../../shared/discordApi/judgeChannel.js';
import { listServers } from '../../../shared/discordApi/listServers.js';
import { isNamed, parseRoles } from '../../../shared/discordApi/optOutRoles.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import {
  PlatformAnswerError,
  PlatformAway,
  PlatformRefused,
} from '../../../shared/discordApi/platformErrors.js';
import {
  applicationRequest,
  channelsRequest,
  guildRequest,
  memberRequest,
  meRequest,
} from '../../../shared/discordApi/requests.js';
import type { Settings } from '../../../shared/platform/env.js';

/** A forum that the bot can see. */
export interface CheckedForum {
  channelId: string;
  name: string;
  /** Why it is not archived; null where it is. */
  problem: string | null;
}

/** A server that the bot is in. */
export interface CheckedServer {
  serverId: string;
  name: string;
  /** Why nothing of it is archived; null where something is. */
  problem: string | null;
  forums: CheckedForum[];
  /**
   * The entries of OPT_OUT_ROLE that name a role there, and those that do not. Null where the server's roles are not
   * known.
   */
  optOut: { found: string[]; missing: string[] } | null;
}

/** What a bot may do. */
export interface BotReport {
  application: { id: string; name: string };
  intents: GrantedIntents;
  /** A link that adds the bot to a server, with the permissions that it needs. */
  invite: string;
  servers: CheckedServer[];
  /** What has to be changed. */
  problems: string[];
}

type Used = Pick<Settings, 'DISCORD_ALSO_CHANNELS' | 'DISCORD_AUTHORIZE_URL' | 'OPT_OUT_ROLE'>;

/**
 * Asks the platform for a bot's intents and servers, and judges for each forum of these servers whether it is archived.
 * `onServer` is called after each server with its share of all. Throws the errors of the platform's client.
 */
export async function checkBot(
  platform: PlatformClient,
  settings: Used,
  onServer: (share: number) => void,
): Promise<BotReport> {
  const { value: application } = await platform.get(applicationRequest);
  const { value: me } = await platform.get(meRequest);
  const intents = grantedIntents(application);
  const named = new Set(settings.DISCORD_ALSO_CHANNELS.match(/\d+/g));
  const roles = parseRoles(settings.OPT_OUT_ROLE);
  const servers: CheckedServer[] = [];
  const serverIds = await listServers(platform);
  for (const serverId of serverIds) {
    servers.push(await checkServer(platform, { serverId, botId: me.id, named, roles }));
    onServer(1 / serverIds.length);
  }
  return {
    application: { id: application.id, name: application.name ?? '' },
    intents,
    invite: inviteOf(settings, application.id),
    servers,
    problems: [
      ...(intents.messageContent ? [] : [LACKS_MESSAGE_CONTENT]),
      ...(servers.length > 0 ? [] : ['The bot is on no server: open the invite link']),
      ...servers.flatMap(({ name, problem }) => (problem === null ? [] : `${name}: ${problem}`)),
      ...unfound(servers, named, roles),
    ],
  };
}

interface Asked {
  serverId: string;
  botId: string;
  named: ReadonlySet<string>;
  roles: readonly string[];
}

/**
 * Checks one server. Where the platform refuses to tell about it, or cannot because of an outage, that becomes the
 * server's problem. The other servers are checked all the same.
 */
async function checkServer(platform: PlatformClient, asked: Asked): Promise<CheckedServer> {
  try {
    return await askServer(platform, asked);
  } catch (error) {
    const isIts =
      error instanceof PlatformRefused ||
      error instanceof PlatformAway ||
      error instanceof PlatformAnswerError;
    if (!isIts) throw error;
    const { serverId } = asked;
    return { serverId, name: serverId, problem: error.message, forums: [], optOut: null };
  }
}

async function askServer(
  platform: PlatformClient,
  { serverId, botId, named, roles }: Asked,
): Promise<CheckedServer> {
  const { value: guild } = await platform.get(guildRequest(serverId));
  const { value: channels } = await platform.get(channelsRequest(serverId));
  const { value: member } = await platform.get(memberRequest(serverId, botId));
  const bot = { userId: botId, roleIds: member.roles };
  const forums = channels.filter(isVisibleForum).map((channel): CheckedForum => {
    const problem = judgeChannel({ guild, channel, bot, named });
    return { channelId: channel.id, name: channel.name ?? channel.id, problem };
  });
  const isThere = (entry: string) => guild.roles.some((role) => isNamed(entry, role));
  return {
    serverId,
    name: guild.name,
    forums,
    problem: nothingToArchive(forums),
    optOut: {
      found: roles.filter(isThere),
      missing: roles.filter((entry) => !isThere(entry)),
    },
  };
}

/** The link that adds the bot to a server. */
function inviteOf({ DISCORD_AUTHORIZE_URL: url }: Used, applicationId: string): string {
  const link = new URL(url);
  link.searchParams.set('client_id', applicationId);
  link.searchParams.set('scope', 'bot');
  link.searchParams.set('permissions', String(BOT_PERMISSIONS));
  return link.href;
}

/**
 * Entries of settings that fit no server. Where a server could not be read, the list is empty, as that server may have
 * them.
 */
function unfound(
  servers: readonly CheckedServer[],
  named: ReadonlySet<string>,
  roles: readonly string[],
): string[] {
  if (servers.length === 0 || servers.some(({ optOut }) => optOut === null)) return [];
  const seen = new Set(servers.flatMap(({ forums }) => forums.map(({ channelId }) => channelId)));
  const found = new Set(servers.flatMap(({ optOut }) => optOut?.found ?? []));
  return [
    ...[...named]
      .filter((id) => !seen.has(id))
      .map((id) => `DISCORD_ALSO_CHANNELS names ${id}, which is no forum that the bot can see`),
    ...roles
      .filter((entry) => !found.has(entry))
      .map((entry) => `OPT_OUT_ROLE names "${entry}", which is a role of no server`),
  ];
}
