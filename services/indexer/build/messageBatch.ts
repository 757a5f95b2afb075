import type { BatchLimits } from '../../../shared/platform/batches.js';
import type { MessageRecord } from '../../../shared/store/records.js';

/**
 * Bounds the memory that a very long thread takes: how many messages are handled at once, and about how many characters
 * they hold together.
 */
export const MESSAGE_BATCH = {
  items: 500,
  weight: 4_000_000,
  weigh: messageWeight,
} satisfies BatchLimits<MessageRecord>;

/** About how many characters a message holds. */
function messageWeight({ content, embeds, forwarded, reactions }: MessageRecord): number {
  const shown = [...embeds, ...(forwarded?.embeds ?? [])];
  return (
    content.length +
    (forwarded?.content.length ?? 0) +
    shown.reduce((sum, embed) => sum + (embed.description?.length ?? 0) + fieldsLength(embed), 0) +
    reactions.reduce((sum, { userIds }) => sum + userIds.length * 20, 0)
  );
}

function fieldsLength({ fields }: MessageRecord['embeds'][number]): number {
  return fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
}
