import { CDN, defaultPictureUrl, numberedPictureUrl } from '../../../shared/discordApi/cdnUrls.js';
import { parseUrl } from '../../../shared/platform/parseUrl.js';
import { savedAddress } from './savedAddress.js';

const MAX_URL = 4_096;
const WEB = ['http:', 'https:'];
// How a whole address begins. On a page of https, a browser reads `https:x` and `https:/x` as paths of that page's site.
const WHOLE = /^https?:\/\/[^/]/i;
// Spaces, controls, marks that reorder text, and what could end an attribute or a markdown link.
const UNSAFE = /[\p{Cc}\p{Zs}\p{Surrogate}\p{Bidi_Control}<>"`\\]/u;
// Those of them that a parsed URL may still hold, in its query or fragment.
const LEFT = /[`\\]/g;

/**
 * A whole http or https address of at most 4,096 characters; null for any other. Characters that do not belong in an
 * address are escaped.
 */
export function webUrl(address: string | null | undefined): string | null {
  if (!address || address.length > MAX_URL) return null;
  const url = parseUrl(address);
  if (!url || !WEB.includes(url.protocol)) return null;
  const isSafe = WHOLE.test(address) && !UNSAFE.test(address);
  const safe = isSafe ? address : url.href.replace(LEFT, encodeURIComponent);
  return safe.length > MAX_URL ? null : safe;
}

/** Where default pictures are, of accounts and of servers without an icon. */
const DEFAULT_PICTURES = `${CDN}/embed/avatars`;

/**
 * The avatar when it is an https address, or was saved from the platform beside the export. Else the platform's default
 * one of that account. On its server, a person may have another avatar than elsewhere.
 */
export function avatarUrl(
  address: string | null | undefined,
  user: { id: string; discriminator: string | null; serverId?: string | undefined },
): string {
  const url = webUrl(address);
  if (url?.startsWith('https:')) return url;
  const { id, discriminator, serverId } = user;
  const onServer = serverId === undefined ? [] : [`${CDN}/guilds/${serverId}/users/${id}/avatars`];
  const saved = savedAddress(address, [`${CDN}/avatars/${id}`, ...onServer, DEFAULT_PICTURES]);
  if (saved !== null) return saved;
  return discriminator ? numberedPictureUrl(Number(discriminator) % 5) : defaultPictureUrl(id);
}

/**
 * The hash in the address of a server's icon. Null where the server has no icon (no address, or a default picture).
 * Undefined where the address does not tell the hash, such as that of a renamed file beside the export.
 */
export function iconHash(
  address: string | null | undefined,
  serverId: string,
): string | null | undefined {
  if (address === null || address === '') return null;
  const folders = [`${CDN}/icons/${serverId}`, DEFAULT_PICTURES];
  const path = (webUrl(address) ?? savedAddress(address, folders))?.replace(/[?#].*$/, '');
  if (path === undefined) return undefined;
  return /\/icons\/\d+\/([A-Za-z0-9_]+)(?:\.\w+)?$/.exec(path)?.[1] ?? null;
}

/** The address of an attachment: as given, or the platform's own where the file was saved beside the export. */
export function attachmentUrl(
  address: string,
  place: { threadId: string; attachmentId: string; filename: string },
): string {
  const file = encodeURIComponent(place.filename);
  return webUrl(address) ?? `${CDN}/attachments/${place.threadId}/${place.attachmentId}/${file}`;
}

/** The address of a sticker's picture. */
export function stickerUrl(
  address: string | null | undefined,
  sticker: { id: string; format: string },
): string {
  const given = webUrl(address);
  if (given) return given;
  if (sticker.format === 'Gif') return `https://media.discordapp.net/stickers/${sticker.id}.gif`;
  return `${CDN}/stickers/${sticker.id}.${sticker.format === 'Lottie' ? 'json' : 'png'}`;
}
