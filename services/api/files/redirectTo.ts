import type { FileLink } from '../../../shared/contract/files.js';
import { jsonAnswer, type Answer } from '../answer.js';

/**
 * A redirect to a link, which no cache may store. The link may hold any characters. Throws TypeError for no valid URL.
 */
export function redirectTo(link: string): Answer {
  // A header must be ASCII. `href` is: it is percent-encoded.
  const location = new URL(link).href;
  const answer: FileLink = { location };
  return { ...jsonAnswer(answer), noStore: true, headers: { Location: location } };
}
