import type { FileLink } from '../../../shared/contract/files.js';
import { jsonAnswer, type Answer } from '../answer.js';

/** A redirect to a link of any characters, which no cache may keep. Throws TypeError where the text is no URL. */
export function redirectTo(link: string): Answer {
  // A header takes ASCII alone.
  const location = new URL(link).href;
  const answer: FileLink = { location };
  return { ...jsonAnswer(answer), noStore: true, headers: { Location: location } };
}
