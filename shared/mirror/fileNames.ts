import { randomBytes } from 'node:crypto';

/**
 * The name of a mirrored file: an attachment by the ids of its message and itself, a person's picture, or a server's.
 */
export type FileName = `attachments/${string}/${string}` | `avatars/${string}` | `icons/${string}`;

/** The name of an attachment. */
export function attachmentName(file: { messageId: string; attachmentId: string }): FileName {
  return `attachments/${file.messageId}/${file.attachmentId}`;
}

const KEY = /^[0-9a-f]{2}\/((?:attachments-\d+-\d+)|(?:(?:avatars|icons)-\d+))-[0-9a-f]{16}$/;

/**
 * A key for a new copy of a file. No two copies have the same key, so removing an old copy can never remove a later
 * one. The key holds nothing that anybody on the platform chose.
 */
export function newKey(name: FileName): string {
  const random = randomBytes(8).toString('hex');
  return `${random.slice(0, 2)}/${name.replaceAll('/', '-')}-${random}`;
}

/** The file that a key is a copy of; null where it is no key. */
export function nameOfKey(key: string): FileName | null {
  const name = KEY.exec(key)?.[1];
  return name === undefined ? null : (name.replaceAll('-', '/') as FileName);
}
