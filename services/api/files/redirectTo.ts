import type { FileLink } from '../../../shared/contract/files.js';
import { jsonAnswer, type Answer } from '../answer.js';

/** A redirect that no cache may keep. */
export function redirectTo(location: string): Answer {
  const link: FileLink = { location };
  return { ...jsonAnswer(link), noStore: true, headers: { Location: location } };
}
