import type { FileLink } from '../../../shared/contract/files.js';
import { jsonAnswer, type Answer } from '../answer.js';

/** A redirect that no cache may keep. The link may hold any characters. Throws TypeError where it is no URL. */
export function redirectTo(link: string): Answer {
  // A header may only hold ASCII, which `href` is.
  const location = new URL(link).href;
  const answer: FileLink = { location };
  return { ...jsonAnswer(answer), noStore: true, headers: { Location: location } };
}
