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

/** One login. Each refresh of it gives a new token, and only the newest works. No token is stored here. */
export interface TokenFamily {
  _id: string;
  userId: string;
  username: string;
  /** Full https address. */
  avatar: string;
  /** The number of the token that works now. */
  generation: number;
  /** The exchange that made this generation, until its token is handed out. */
  exchangeId?: string;
  createdAt: Date;
  /** MongoDB removes the document then. */
  expiresAt: Date;
  revokedAt?: Date;
}

/** The state of a login that was used. It may not be used again. */
export interface UsedState {
  /** SHA-256 of the state, hexadecimal. */
  _id: string;
  /** MongoDB removes the document then. */
  expiresAt: Date;
}
