import type { LiveUser } from './answerTypes.js';

const CDN = 'https://cdn.discordapp.com';
const SIGNATURE = ['ex', 'is', 'hm'];

/** A link without its signature: it is the same link however often it is signed. */
export function unsignedUrl(address: string): string {
  if (!/\/attachments\/.*[?&]hm=/.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  for (const name of SIGNATURE) url.searchParams.delete(name);
  return url.href.replace(/[?&]+$/, '');
}

/** Where an account's own picture is; null where it has none. */
export function pictureUrl({ id, avatar }: Pick<LiveUser, 'id' | 'avatar'>): string | null {
  return avatar ? `${CDN}/avatars/${id}/${avatar}.${endingOf(avatar)}` : null;
}

function endingOf(hash: string): string {
  return hash.startsWith('a_') ? 'gif' : 'png';
}
