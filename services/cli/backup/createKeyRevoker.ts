import type { Document } from 'mongodb';

/** Gives API keys of a backup as revoked, and counts those that were not: some may have been revoked after it. */
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
