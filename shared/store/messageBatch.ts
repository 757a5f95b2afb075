import type { BatchLimits } from '../platform/batches.js';
import type { MessageRecord } from './records.js';

/**
 * Bounds the memory that a very long thread takes: how many whole messages are handled at once, and how many characters
 * they hold together. An export may hold messages of 4 MiB each.
 */
export const MESSAGE_BATCH = {
  items: 500,
  weight: 4_000_000,
  weigh: textLength,
} satisfies BatchLimits<MessageRecord>;

/** How many characters all texts in a value hold together. Nothing of a message may be left out: any part may be long. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + textLength(part), 0);
}
