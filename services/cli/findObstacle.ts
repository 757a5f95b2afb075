import { setTimeout as pause } from 'node:timers/promises';
import { describeRestore, readRestore } from '../../shared/store/restore.js';
import { findAway } from './findAway.js';
import type { Archive } from './openArchive.js';

/** In this time (ms) an indexer connects again to the queue, even on a busy machine. It is looked for so often. */
const RECONNECT_MS = 5_000;
const LOOKS = 10;

/** Why queued work cannot go on now; null where no reason is known. Never rejects. */
export async function findObstacle(
  archive: Pick<Archive, 'elasticsearch' | 'mongo' | 'producer'>,
): Promise<string | null> {
  const ofQueue = await queueObstacle(archive).catch(() => null);
  const away = await findAway(archive);
  if (away !== null) return `${away}. The work waits until it can`;
  return ofQueue ?? (await restoreObstacle(archive).catch(() => null));
}

async function restoreObstacle({ mongo }: Pick<Archive, 'mongo'>): Promise<string | null> {
  const restore = await readRestore(mongo.collections);
  return restore?.step === 'records' ? `A restore goes on. ${describeRestore(restore)}` : null;
}

async function queueObstacle({ producer }: Pick<Archive, 'producer'>): Promise<string | null> {
  if (await lacksIndexers(producer))
    return 'No indexer is connected to the queue: the work waits until one is';
  return (await producer.queue.isPaused())
    ? 'The queue is paused: resume it at /admin/queues'
    : null;
}

/**
 * Whether no indexer is connected to the queue. An indexer that was held up, such as by a busy machine, replaces its
 * connection, and is not counted meanwhile. So a count of 0 is made again and again for a while.
 */
async function lacksIndexers(producer: Archive['producer']): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await producer.workers()) > 0) return false;
    await pause(RECONNECT_MS / LOOKS);
  }
  return true;
}
