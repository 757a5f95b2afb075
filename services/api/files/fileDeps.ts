import type { FreshLinks } from '../../../shared/discordApi/freshLinks.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ReadMirror } from './readMirror.js';

/** What files are given out with. */
export interface FileDeps {
  store: Collections;
  /** Links to files of the platform; null without a bot. */
  links: FreshLinks | null;
  /** Gives copies of files; null where there are none. */
  mirror: ReadMirror | null;
  /** Where the platform's files are. */
  cdnUrl: string;
}
