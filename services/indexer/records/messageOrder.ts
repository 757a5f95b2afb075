import type { MessageRecord, SourceMessage } from '../../../shared/store/records.js';
import { same, tieOf } from './mergeFields.js';

type Message = SourceMessage | MessageRecord;

/** The parts of a message that readers can see: a later export that says the same changes no revision. */
export type MessageContent = Omit<SourceMessage, 'asOf' | 'partsAsOf'>;

/** What a message says, without what the archive keeps of it for itself. */
export function contentOf(message: Message): MessageContent {
  const {
    asOf: _asOf,
    partsAsOf: _partsAsOf,
    order: _order,
    deleted: _deleted,
    ...content
  } = message as MessageRecord;
  return content;
}

/** Its place among what different sources of the same time say of the same message. */
function messageTie(message: Message): string {
  return tieOf(contentOf(message));
}

/** Whether a message replaces one that is known: it was said later, or at the same time by the source that wins. */
export function isNewer(told: Message, before: Message | undefined): boolean {
  if (!before || told.asOf !== before.asOf) return !before || told.asOf > before.asOf;
  if (same(contentOf(told), contentOf(before))) return false;
  return messageTie(told) > messageTie(before);
}
