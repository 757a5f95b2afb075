import anyAscii from 'any-ascii';

const MAX_SLUG = 80;

/** A title in a-z, 0-9 and single hyphens, at most 80 characters, never empty ("thread"). */
export function slug(title: string): string {
  const ascii = anyAscii(title.normalize('NFKC')).toLowerCase();
  const words = ascii.replace(/['’]/g, '').replace(/[^a-z0-9]+/g, '-');
  return trimHyphens(trimHyphens(words).slice(0, MAX_SLUG)) || 'thread';
}

function trimHyphens(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}
