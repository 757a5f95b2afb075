import { findAway } from './findAway.js';
import type { Archive } from './openArchive.js';

/** Why queued work cannot go on now; null where no reason is known. Never rejects. */
export async function findObstacle(
  archive: Pick<Archive, 'elasticsearch' | 'mongo' | 'producer'>,
): Promise<string | null> {
  const ofQueue = await queueObstacle(archive).catch(() => null);
  const away = await findAway(archive);
  return away === null ? ofQueue : `${away}. The work waits until it can`;
}

async function queueObstacle({ producer }: Pick<Archive, 'producer'>): Promise<string | null> {
  if ((await producer.workers()) === 0)
    return 'No indexer is connected to the queue: the work waits until one is';
  return (await producer.queue.isPaused())
    ? 'The queue is paused: resume it at /admin/queues'
    : null;
}
