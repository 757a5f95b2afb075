import type { Collections } from '../../../shared/store/collections.js';
import { formatCount } from '../numbers.js';
import { createProgress } from '../progress.js';

type Records = Pick<Collections, 'messages' | 'threads' | 'channels' | 'servers'>;

const ALIVE = { deleted: { $ne: true } };

/**
 * Whether an id occurs in anything that others wrote: mentions, reactions, texts, addresses. Most of this has no index,
 * so every record is read. A record's own id, and the ids of its thread, channel and server, are not searched.
 */
export async function isNamedAnywhere(records: Records, userId: string): Promise<boolean> {
  const { messages, threads, channels, servers } = records;
  const isNamed = naming(userId);
  const texts = [
    threads.find(ALIVE).map(({ title, ownerId }) => [title, ownerId]),
    // The values are put into lists, because the driver does not accept null as a document.
    channels
      .find(ALIVE)
      .map(({ topic, name, parentName, availableTags }) => [
        topic,
        name,
        parentName,
        availableTags?.map((tag) => tag.name),
      ]),
    servers.find(ALIVE).map(({ description, name }) => [description, name]),
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

/** Makes a search for an id in the JSON of a value. A longer number that contains the id does not count. */
function naming(userId: string): (value: unknown) => boolean {
  const id = new RegExp(`(?<!\\d)${userId}(?!\\d)`);
  return (value) => id.test(JSON.stringify(value ?? null));
}
