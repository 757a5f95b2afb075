import type { Scope } from '../contract/scopes.js';

/** An API key `fa_<id>_<secret>`. An operator may insert one by hand. */
export interface ApiKeyRecord {
  /** The id in the key: 16 hexadecimal digits. */
  _id: string;
  name: string;
  level: Scope;
  /** SHA-256 of the whole key, hexadecimal. */
  hash: string;
  createdAt: Date;
  expiresAt?: Date | null;
  lastUsedAt?: Date | null;
  revokedAt?: Date | null;
}

/** One login and the refresh tokens that follow from it, of which only the newest works. Holds no token. */
export interface TokenFamily {
  _id: string;
  userId: string;
  username: string;
  /** Full https address. */
  avatar: string;
  /** The number of the token that works now. */
  generation: number;
  createdAt: Date;
  /** The document goes by itself then. */
  expiresAt: Date;
  revokedAt?: Date;
}

/** A state of a login that was used: it may not be used again. */
export interface UsedState {
  /** SHA-256 of the state, hexadecimal. */
  _id: string;
  /** The document goes by itself then. */
  expiresAt: Date;
}

/** A key that this archive has drawn for itself, once and for all of its processes. */
export interface SecretRecord {
  /** What it signs. */
  _id: 'cursors';
  /** 32 random bytes, hexadecimal. */
  secret: string;
}
