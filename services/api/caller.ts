import type { Scope } from '../../shared/contract/scopes.js';
import type { PlatformProfile } from './auth/platformProfile.js';

/** The caller of a request. Their credential has been checked, so `id` is theirs. */
export interface Caller {
  /** With DISABLE_AUTH, everybody is `development` on protected operations. */
  kind: 'key' | 'jwt' | 'platform' | 'development';
  /** The id of the key, or of the user. */
  id: string;
  /** All levels that they have: with `admin`, also `write` and `read`. Empty without a level. */
  scopes: readonly Scope[];
  /** What the platform says about the user of a platform token. */
  profile?: PlatformProfile;
}

/** A caller who was admitted to an operation. */
export interface Admitted extends Caller {
  /**
   * Checks the credential again. It is called once a body has arrived, because the credential may have ended meanwhile.
   * Throws what the first check throws.
   */
  recheck: () => Promise<void>;
}
