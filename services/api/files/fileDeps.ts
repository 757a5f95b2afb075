import type { FreshLinks } from '../../../shared/discordApi/freshLinks.js';
import type { MirrorFiles } from '../../../shared/mirror/mirrorFiles.js';
import type { Collections } from '../../../shared/store/collections.js';

/** What files are given out with. */
export interface FileDeps {
  store: Collections;
  /** Links to files of the platform; null without a bot. */
  links: FreshLinks | null;
  /** Copies of files; null where there are none. */
  mirror: MirrorFiles | null;
  /** Where the platform's files are. */
  cdnUrl: string;
}
