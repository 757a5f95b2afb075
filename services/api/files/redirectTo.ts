import type { FileLink } from '../../../shared/contract/files.js';
import { jsonAnswer, type Answer } from '../answer.js';

/** A redirect that no cache may keep, to a link that may hold any character. Throws TypeError where it is no link. */
export function redirectTo(link: string): Answer {
  // A header takes ASCII alone.
  const location = new URL(link).href;
  const answer: FileLink = { location };
  return { ...jsonAnswer(answer), noStore: true, headers: { Location: location } };
}
