import type { FileLink } from '../../../shared/contract/files.js';
import { jsonAnswer, type Answer } from '../answer.js';

/** Redirects to a link, which may hold any character. No cache may keep the answer. Throws TypeError where it is no link. */
export function redirectTo(link: string): Answer {
  // A header takes ASCII alone.
  const location = new URL(link).href;
  const answer: FileLink = { location };
  return { ...jsonAnswer(answer), noStore: true, headers: { Location: location } };
}
