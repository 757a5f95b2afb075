import type { MessageRecord, SourceMessage } from '../../../shared/store/records.js';
import { same, tieOf } from './mergeFields.js';

type Message = SourceMessage | MessageRecord;

/** The parts of a message that readers can see. A later export with the same content has nothing built again. */
export type MessageContent = Omit<SourceMessage, 'asOf' | 'partsAsOf'>;

/** A message without the fields that the archive keeps for its own use. */
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

/**
 * A digest of a message's content. It puts different contents of one message in an order where their sources have the
 * same time.
 */
function messageTie(message: Message): string {
  return tieOf(contentOf(message));
}

/**
 * Whether a message replaces the known one. It does where none is known, and where its source is later. Of two sources
 * of the same time, the content with the greater digest replaces the other.
 */
export function isNewer(told: Message, before: Message | undefined): boolean {
  if (!before || told.asOf !== before.asOf) return !before || told.asOf > before.asOf;
  if (same(contentOf(told), contentOf(before))) return false;
  return messageTie(told) > messageTie(before);
}
