import { createHash, type Hash } from 'node:crypto';

/** The entity tag of a body's text: 160 bits of its SHA-256. */
export function etagOf(text: string): string {
  return tagOf(createHash('sha256').update(text));
}

/** The entity tag of the text that a SHA-256 hash was given. The hash can take no more text then. */
export function tagOf(hash: Hash): string {
  return hash.digest('base64url').slice(0, 27);
}
