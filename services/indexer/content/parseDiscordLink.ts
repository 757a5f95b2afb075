// In the platform's client, a thread beside its forum has an address of the form /channels/SERVER/FORUM/threads/THREAD.
const CHANNEL_LINK =
  /^https?:\/\/(?:(?:ptb|canary|www)\.)?discord(?:app)?\.com\/channels\/(?:\d{1,20}|@me)\/(?:(?:\d{1,20}|@home)\/threads\/)?(\d{1,20})(?:\/(\d{1,20}))?\/?(?:[?#].*)?$/i;

/** Where a link into the chat platform leads. */
export interface DiscordLink {
  channelId: string;
  messageId: string | undefined;
}

/** Reads a link to a channel, thread or message of the platform; undefined for any other. */
export function parseDiscordLink(href: string): DiscordLink | undefined {
  const found = CHANNEL_LINK.exec(href);
  return found ? { channelId: found[1]!, messageId: found[2] } : undefined;
}
