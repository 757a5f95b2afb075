import { requestErasure } from '../../../shared/store/erasures.js';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { amounts } from './amounts.js';
import { findPerson } from './findPerson.js';
import { remove, type RemovalOptions } from './remove.js';

/**
 * Erases a person. With `evenIfUnknown`, it also erases a person whom the archive does not know. Then no later import
 * adds them.
 */
export async function eraseUser(userId: string, options: RemovalOptions): Promise<void> {
  const removal = {
    entry: { operation: 'eraseUser', params: { userId } },
    find: ({ mongo }: Archive) => findPerson(mongo.collections, userId),
    async file({ mongo, producer }: Archive) {
      const erasureId = await requestErasure(mongo.collections, userId);
      return producer.add('erase-user', { erasureId });
    },
    linesOf: erasedLines,
  };
  await remove(removal, options);
}

function erasedLines(removed: Record<string, number>): string[] {
  const { messages = 0, profiles = 0, files = 0 } = removed;
  const { removedMessages = 0, removedThreads = 0 } = removed;
  const others = messages - removedMessages;
  return [
    `Removed ${amounts({ message: removedMessages, thread: removedThreads, profile: profiles })}`,
    ...(others > 0 ? [`Taken out of ${counted(others, 'message')} of others`] : []),
    ...(files > 0 ? [`Removed ${counted(files, 'quarantined upload')}`] : []),
    'Nothing of them can be read any more, and no import brings them back',
  ];
}
