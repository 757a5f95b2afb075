import type { Scope } from '../contract/scopes.js';

/** An API key `fa_<id>_<secret>`. An operator may insert a record by hand. */
export interface ApiKeyRecord {
  /** The id in the key: 16 hexadecimal digits. */
  _id: string;
  name: string;
  level: Scope;
  /** The SHA-256 of the whole key, hexadecimal. */
  hash: string;
  createdAt: Date;
  expiresAt?: Date | null;
  lastUsedAt?: Date | null;
  revokedAt?: Date | null;
}

/**
 * The refresh tokens of one login. Each refresh gives a new token, and only the newest works. No token is stored here.
 */
export interface TokenFamily {
  _id: string;
  userId: string;
  username: string;
  /** Full https address. */
  avatar: string;
  /** The number of the token that works now. */
  generation: number;
  /** The exchange that made this token. It is kept until the token is handed out. */
  exchangeId?: string;
  createdAt: Date;
  /** When MongoDB removes the document. */
  expiresAt: Date;
  revokedAt?: Date;
}

/** The state of a login that was used. It may not be used again. */
export interface UsedState {
  /** The SHA-256 of the state, hexadecimal. */
  _id: string;
  /** When MongoDB removes the document. */
  expiresAt: Date;
}
