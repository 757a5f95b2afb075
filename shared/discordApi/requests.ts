import {
  checkApplication,
  checkChannels,
  checkEntries,
  checkGateway,
  checkGuild,
  checkMember,
  checkMessage,
  checkPlace,
  checkRefreshedUrls,
  checkThread,
  checkThreadList,
  checkUser,
  readEntries,
} from './answers.js';
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
} from './answerTypes.js';
import { isPublicThread } from './judgeChannel.js';
import type { PlatformRequest } from './platformClient.js';

/** All requests that are sent to the platform. */

/** Messages and archived threads of a page. */
export const PAGE_SIZE = 100;
/** Servers of a page. */
export const SERVERS_PAGE_SIZE = 200;

/** The bot's application, whose flags tell its intents. */
export const applicationRequest: PlatformRequest<LiveApplication> = {
  route: 'application',
  topId: '',
  path: '/applications/@me',
  check: checkApplication,
};

/** The bot's own account. */
export const meRequest: PlatformRequest<{ id: string }> = {
  route: 'me',
  topId: '',
  path: '/users/@me',
  check: checkUser,
};

/** Where the gateway is. */
export const gatewayRequest: PlatformRequest<LiveGateway> = {
  route: 'gateway',
  topId: '',
  path: '/gateway/bot',
  check: checkGateway,
};

/** The servers that the bot is in, after an id. */
export function guildsRequest(after: string): PlatformRequest<{ id: string }[]> {
  const path = `/users/@me/guilds?limit=${SERVERS_PAGE_SIZE}&after=${after}`;
  return { route: 'guilds', topId: '', path, check: allAfter(after, checkEntries) };
}

/**
 * Makes the check of a page that goes on after an id. Without it, a platform that sends the same page again and again
 * would be asked for ever.
 */
function allAfter<T extends { id: string }>(
  after: string,
  check: (answer: unknown) => T[],
): (answer: unknown) => T[] {
  return (answer) => {
    const page = check(answer);
    if (page.every(({ id }) => BigInt(id) > BigInt(after))) return page;
    throw new Error(`the page does not go on after ${after}`);
  };
}

/**
 * Requires that an answer is about what was asked for. Something between the platform and this archive may mix answers
 * up. Then a private place would be taken for a public one, and everybody could read it.
 */
function requireSame(told: string | undefined, asked: string): void {
  if (told !== undefined && told !== asked) throw new Error(`it is about ${told}, not ${asked}`);
}

/** Makes the check of an answer about a server, place or message with an id. */
function about<T extends { id: string }>(
  asked: string,
  check: (answer: unknown) => T,
): (answer: unknown) => T {
  return (answer) => {
    const value = check(answer);
    requireSame(value.id, asked);
    return value;
  };
}

/** A server with its roles. */
export function guildRequest(serverId: string): PlatformRequest<LiveGuild> {
  const path = `/guilds/${serverId}?with_counts=true`;
  return { route: 'guild', topId: serverId, path, check: about(serverId, checkGuild) };
}

/** The forums and categories of a server that the bot may see. */
export function channelsRequest(serverId: string): PlatformRequest<LiveChannel[]> {
  const path = `/guilds/${serverId}/channels`;
  const check = (answer: unknown): LiveChannel[] => {
    const channels = checkChannels(answer);
    for (const { guild_id: told } of channels) requireSame(told, serverId);
    return channels;
  };
  return { route: 'guildChannels', topId: serverId, path, check };
}

/** Somebody's roles on a server. */
export function memberRequest(serverId: string, userId: string): PlatformRequest<LiveMember> {
  const path = `/guilds/${serverId}/members/${userId}`;
  const check = (answer: unknown): LiveMember => {
    const member = checkMember(answer);
    requireSame(member.user?.id, userId);
    return member;
  };
  return { route: 'member', topId: serverId, path, check };
}

/** All active threads of a server. */
export function activeThreadsRequest(serverId: string): PlatformRequest<LiveThreadList> {
  const path = `/guilds/${serverId}/threads/active`;
  return { route: 'activeThreads', topId: serverId, path, check: checkThreadList };
}

/** A page of a forum's archived threads: those archived before a moment, last archived first. */
export function archivedThreadsRequest(
  channelId: string,
  before?: string,
): PlatformRequest<LiveThreadList> {
  const cursor = before === undefined ? '' : `&before=${encodeURIComponent(before)}`;
  const path = `/channels/${channelId}/threads/archived/public?limit=${PAGE_SIZE}${cursor}`;
  return { route: 'archivedThreads', topId: channelId, path, check: checkThreadList };
}

/** A channel or a thread. */
export function placeRequest(placeId: string): PlatformRequest<LivePlace> {
  const check = about(placeId, checkPlace);
  return { route: 'channel', topId: placeId, path: `/channels/${placeId}`, check };
}

/** A public thread by its id; null where the id belongs to anything else. */
export function threadRequest(threadId: string): PlatformRequest<(LiveThread & LivePlace) | null> {
  const place = placeRequest(threadId);
  const check = (answer: unknown) =>
    isPublicThread(place.check(answer)) ? checkThread(answer) : null;
  return { ...place, check };
}

/** The next page of a thread's messages after an id. Within the page, the newest message comes first. */
export function messagesRequest(threadId: string, after: string): PlatformRequest<LivePage> {
  const path = `/channels/${threadId}/messages?limit=${PAGE_SIZE}&after=${after}`;
  const checkPage = allAfter(after, checkEntries);
  const check = (answer: unknown): LivePage => {
    const page = readEntries(checkPage(answer));
    for (const { channel_id: told } of page.messages) requireSame(told, threadId);
    return page;
  };
  return { route: 'messages', topId: threadId, path, check };
}

/** One message. */
export function messageRequest(threadId: string, messageId: string): PlatformRequest<LiveMessage> {
  const path = `/channels/${threadId}/messages/${messageId}`;
  const checkId = about(messageId, checkMessage);
  const check = (answer: unknown): LiveMessage => {
    const message = checkId(answer);
    requireSame(message.channel_id, threadId);
    return message;
  };
  return { route: 'message', topId: threadId, path, check };
}

/** Asks whether a message is still there. The status of the answer alone tells that, so its body may have any form. */
export function presenceRequest(threadId: string, messageId: string): PlatformRequest<void> {
  return { ...messageRequest(threadId, messageId), check: () => undefined };
}

/** The most links that one request may refresh. */
export const REFRESHED_AT_ONCE = 50;

/** Fresh links for up to 50 links to attachments. */
export function refreshUrlsRequest(urls: readonly string[]): PlatformRequest<LiveRefreshedUrls> {
  const body = { attachment_urls: urls };
  const path = '/attachments/refresh-urls';
  return { route: 'refreshUrls', topId: '', path, body, check: checkRefreshedUrls };
}
