import { snowflakePart } from '../exportFormat/snowflake.js';
import { parseUrl } from '../platform/parseUrl.js';
import type { LiveUser } from './answerTypes.js';

/** Where the platform serves files. */
export const CDN = 'https://cdn.discordapp.com';
const SIGNATURE = ['ex', 'is', 'hm'];
const FILE_HOSTS = [CDN, 'https://media.discordapp.net'];
const FILE =
  /^\/(?:attachments\/\d+\/\d+\/[^/]+|(?:guilds\/\d+\/users|avatars|icons)\/\d+(?:\/avatars)?\/\w+\.\w+)$/;

/** A link without its signature, by which two links to the same file can be compared. */
export function unsignedUrl(address: string): string {
  const url = address.includes('hm=') ? parseUrl(address) : null;
  if (!url?.pathname.includes('/attachments/') || !url.searchParams.has('hm')) return address;
  for (const name of SIGNATURE) url.searchParams.delete(name);
  return url.href;
}

/**
 * The path of a file of the platform, with its signature; null for every other address. `cdnUrl` is where files are
 * fetched from. An address there also counts as one of the platform.
 */
export function filePath(address: string, cdnUrl: string): string | null {
  const url = parseUrl(address);
  if (!url) return null;
  const { origin, username, password, pathname, searchParams } = url;
  const isThere = FILE_HOSTS.includes(origin) || origin === new URL(cdnUrl).origin;
  if (!isThere || username !== '' || password !== '' || !FILE.test(pathname)) return null;
  const signature = SIGNATURE.flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : `${name}=${encodeURIComponent(value)}`;
  });
  return signature.length === 0 ? pathname : `${pathname}?${signature.join('&')}`;
}

/** Whether an address leads to an attachment that was sent to a channel. */
export function isAttachmentOf(
  address: string,
  file: { channelId: string; attachmentId: string },
  cdnUrl: string,
): boolean {
  const path = filePath(address, cdnUrl) ?? '';
  return path.startsWith(`/attachments/${file.channelId}/${file.attachmentId}/`);
}

/**
 * When a link to an attachment expires (ms since 1970). Its parameter `ex` tells that in hexadecimal seconds; NaN
 * without it.
 */
export function expiryOf(link: string): number {
  return parseInt(new URL(link).searchParams.get('ex') ?? '', 16) * 1_000;
}

/** Where a server's picture is. */
export function iconUrl(serverId: string, icon: string): string {
  return `${CDN}/icons/${serverId}/${icon}.${endingOf(icon)}`;
}

/** Where an account's own picture is; null where it has none. */
export function pictureUrl({ id, avatar }: Pick<LiveUser, 'id' | 'avatar'>): string | null {
  return avatar ? `${CDN}/avatars/${id}/${avatar}.${endingOf(avatar)}` : null;
}

/** The picture of an account that has none of its own. Its number is (id >> 22) % 6 (Discord reference, "CDN endpoints"). */
export function defaultPictureUrl(userId: string): string {
  return numberedPictureUrl(Number(snowflakePart(userId) % 6n));
}

/** Where the default picture with a number is. */
export function numberedPictureUrl(number: number): string {
  return `${CDN}/embed/avatars/${number}.png`;
}

function endingOf(hash: string): string {
  return hash.startsWith('a_') ? 'gif' : 'png';
}
