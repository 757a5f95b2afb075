import type { Collections } from '../../../shared/store/collections.js';
import { formatCount } from '../numbers.js';
import { createProgress } from '../progress.js';

type Records = Pick<Collections, 'messages' | 'threads' | 'channels' | 'servers'>;

const ALIVE = { deleted: { $ne: true } };

/**
 * Whether an id stands in anything that others wrote: mentions, reactions, texts, addresses. It reads every record, as
 * most of this has no index. Ids that a record has for itself and its place are no trace of a person.
 */
export async function isNamedAnywhere(records: Records, userId: string): Promise<boolean> {
  const { messages, threads, channels, servers } = records;
  const isNamed = naming(userId);
  const texts = [
    threads.find(ALIVE).map(({ title, ownerId }) => [title, ownerId]),
    // In lists: the driver takes no document to be null.
    channels.find(ALIVE).map(({ topic }) => [topic]),
    servers.find(ALIVE).map(({ description }) => [description]),
  ];
  for (const some of texts) for await (const text of some) if (isNamed(text)) return true;
  const total = await messages.estimatedDocumentCount();
  const progress = createProgress('Looking for mentions', total, formatCount);
  try {
    const own = { _id: 0, threadId: 0, reference: 0 } as const;
    for await (const said of messages.find(ALIVE, { projection: own })) {
      if (isNamed(said)) return true;
      progress.advance(1);
    }
    return false;
  } finally {
    progress.stop();
  }
}

/** Finds an id in what is written as JSON; a longer number that holds it is another one. */
function naming(userId: string): (value: unknown) => boolean {
  const id = new RegExp(`(?<!\\d)${userId}(?!\\d)`);
  return (value) => id.test(JSON.stringify(value ?? null));
}
