import type { Scope } from '../../shared/contract/scopes.js';
import type { PlatformProfile } from './auth/platformProfile.js';

/** The caller of a request. Their credential has been checked. */
export interface Caller {
  /** The kind of credential. With DISABLE_AUTH, every caller of a protected operation is `development`. */
  kind: 'key' | 'jwt' | 'platform' | 'development';
  /** The id of the key, or of the user. */
  id: string;
  /** All levels that they have. With `admin`, these are also `write` and `read`. */
  scopes: readonly Scope[];
  /** What the platform says about the user of a platform token. */
  profile?: PlatformProfile;
}

/** A caller who was admitted to an operation. */
export interface Admitted extends Caller {
  /**
   * Checks the credential and its level again. It is called once a body has arrived, because the credential may have
   * expired or been revoked meanwhile. Rejects with the errors of the first check.
   */
  recheck: () => Promise<void>;
}
