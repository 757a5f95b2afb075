import type { Document } from 'mongodb';

/**
 * Marks API keys of a backup as revoked, since some of them may have been revoked after the backup. Counts those that
 * worked at the backup.
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
