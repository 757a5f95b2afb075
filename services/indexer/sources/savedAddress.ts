import { createHash } from 'node:crypto';

/**
 * Matches the path of a picture that an exporter saved beside its file: the picture's name on the platform, some digits
 * of a digest, and the ending.
 */
const SAVED = /(?:^|[\\/])((?:a_)?[0-9a-f]{32}|\d)-([0-9A-Fa-f]{5}|[0-9a-f]{16})(\.\w{3,4})$/;
/** How the address may end of which the digest was made. Some versions leave the question mark out of it. */
const SIZES = ['', '?size=512', 'size=512', '?size=128', 'size=128'];

/**
 * Finds the address on the platform of a picture that an exporter saved beside its file. The exporter puts the first
 * digits of the address's SHA-256 into the name of the saved picture. So the address is tried in each of some folders
 * of the platform. Null where none of these addresses has the digits.
 */
export function savedAddress(
  path: string | null | undefined,
  folders: readonly string[],
): string | null {
  const [, name, digits, ending] = SAVED.exec(path ?? '') ?? [];
  if (name === undefined || digits === undefined || ending === undefined) return null;
  const isFrom = (address: string): boolean =>
    SIZES.some((size) => sha256(address + size).startsWith(digits.toLowerCase()));
  return folders.map((folder) => `${folder}/${name}${ending}`).find(isFrom) ?? null;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
