import type { Archive } from './openArchive.js';
import { messageOf } from './reachable.js';

/** Why queued work cannot go on now; null where nothing is known to keep it. */
export async function findObstacle({
  elasticsearch,
  producer,
  queue,
}: Pick<Archive, 'elasticsearch' | 'producer' | 'queue'>): Promise<string | null> {
  try {
    if ((await producer.workers()) === 0)
      return 'No indexer is connected to the queue: the work waits until one is';
    if (await queue.isPaused()) return 'The queue is paused: resume it at /admin/queues';
  } catch (error) {
    return `Redis cannot be reached: ${messageOf(error)}. The work waits until it can`;
  }
  return elasticsearch.ping().then(
    () => null,
    (error: unknown) =>
      `Elasticsearch cannot be reached: ${messageOf(error)}. The work waits until it can`,
  );
}
