import { refreshUrls } from './attachments.js';
import type { Handler } from './call.js';
import { getChannel, listArchivedThreads } from './channels.js';
import { getGuild, getMember, listActiveThreads, listGuildChannels, listRoles } from './guilds.js';
import { getApplication, getGateway, getGatewayBot, getMe, listMyGuilds } from './me.js';
import { getMessage, listMessages, listPins } from './messages.js';
import type { RouteName } from './routeNames.js';

/** An endpoint. Each `:` in its path stands for an id. */
export interface Route {
  name: RouteName;
  method: 'GET' | 'POST';
  path: string;
  handler: Handler;
}

const get = (name: RouteName, path: string, handler: Handler): Route => ({
  name,
  method: 'GET',
  path,
  handler,
});

/** Every endpoint of the REST API that the double has. */
export const ROUTES: readonly Route[] = [
  get('me', '/users/@me', getMe),
  get('application', '/applications/@me', getApplication),
  get('application', '/oauth2/applications/@me', getApplication),
  get('guilds', '/users/@me/guilds', listMyGuilds),
  get('guild', '/guilds/:', getGuild),
  get('guildChannels', '/guilds/:/channels', listGuildChannels),
  get('guildRoles', '/guilds/:/roles', listRoles),
  get('member', '/guilds/:/members/:', getMember),
  get('activeThreads', '/guilds/:/threads/active', listActiveThreads),
  get('channel', '/channels/:', getChannel),
  get('archivedThreads', '/channels/:/threads/archived/public', listArchivedThreads),
  get('messages', '/channels/:/messages', listMessages),
  get('pins', '/channels/:/messages/pins', listPins),
  get('message', '/channels/:/messages/:', getMessage),
  { name: 'refreshUrls', method: 'POST', path: '/attachments/refresh-urls', handler: refreshUrls },
  get('gateway', '/gateway', getGateway),
  get('gatewayBot', '/gateway/bot', getGatewayBot),
];

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(':', '(\\d{17,20})')}$`),
}));

/** The endpoint for a method and path, with the ids in the path. */
export function matchRoute(method: string, path: string): { route: Route; ids: string[] } | null {
  for (const { route, pattern } of PATTERNS) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match) return { route, ids: match.slice(1) };
  }
  return null;
}
