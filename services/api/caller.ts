import type { Scope } from '../../shared/contract/scopes.js';
import type { PlatformProfile } from './auth/platformProfile.js';

/** Who asks, once their credential has been checked: only then is `id` theirs. */
export interface Caller {
  /** `development` is everybody while DISABLE_AUTH is set. */
  kind: 'key' | 'jwt' | 'platform' | 'development';
  /** The id of the key, or of the user. */
  id: string;
  /** All that they may do: `admin` stands with `write` and `read` beside it. Empty without a level. */
  scopes: readonly Scope[];
  /** What the platform says about the user of a platform token. */
  profile?: PlatformProfile;
}
