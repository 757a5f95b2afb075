import type { MessageRecord, SourceMessage } from '../../../shared/store/records.js';
import { valueDigest } from './mergeFields.js';

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
 * Whether a message replaces the known one. It does where its source is later. Of two sources of the same time, the
 * content with the greater digest replaces the other. The author's display name is no part of that digest. It may come
 * from another source than the rest, and the result must not depend on whether that source came before.
 */
export function isNewer(told: Message, before: Message): boolean {
  if (told.asOf !== before.asOf) return told.asOf > before.asOf;
  return digestOf(told) > digestOf(before);
}

function digestOf(message: Message): string {
  const { author, ...rest } = contentOf(message);
  const { displayName: _displayName, ...account } = author;
  return valueDigest({ ...rest, author: account });
}
