import type { MessageRecord } from '../../../shared/store/records.js';

/** What bounds the memory of a very long thread: messages handled at once, and about how many characters they hold. */
const MAX_ITEMS = 500;
const MAX_WEIGHT = 4_000_000;

/** A source in groups of at most 500, and of little more than four million characters by `weigh`. */
export async function* batches<T>(
  source: AsyncIterable<T>,
  weigh: (item: T) => number = () => 0,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let weight = 0;
  for await (const item of source) {
    batch.push(item);
    weight += weigh(item);
    if (batch.length < MAX_ITEMS && weight < MAX_WEIGHT) continue;
    yield batch;
    batch = [];
    weight = 0;
  }
  if (batch.length > 0) yield batch;
}

/** About how many characters a message holds. */
export function messageWeight({ content, embeds, forwarded, reactions }: MessageRecord): number {
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
