import type { Document } from 'mongodb';

/**
 * Marks the API keys of a backup as revoked, because some of them may have been revoked after the backup was made.
 * `revoked` counts the keys that still worked then.
 */
export function createKeyRevoker(): { revoked: () => number; revoke: (key: Document) => Document } {
  const revokedAt = new Date();
  let count = 0;
  return {
    revoked: () => count,
    revoke(key) {
      if (key['revokedAt']) return key;
      count += 1;
      return { ...key, revokedAt };
    },
  };
}
