import type { FreshLinks } from '../../../shared/discordApi/freshLinks.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ReadMirror } from './readMirror.js';

/** What the handlers of files need. */
export interface FileDeps {
  store: Collections;
  /** Asks the platform for current links to its attachments; null without a bot. */
  links: FreshLinks | null;
  /** Reads copies of files; null where there is no mirror. */
  mirror: ReadMirror | null;
  /** The base URL of the platform's files. */
  cdnUrl: string;
}
