import { pingMongo } from '../../shared/platform/clients.js';
import type { Archive } from './openArchive.js';
import { messageOf } from './reachable.js';

/** How long (ms) MongoDB may take to answer. */
const ANSWER_MS = 5_000;

/** Why queued work cannot go on now; null where no reason is known. Never rejects. */
export async function findObstacle({
  elasticsearch,
  mongo,
  producer,
  queue,
}: Pick<Archive, 'elasticsearch' | 'mongo' | 'producer' | 'queue'>): Promise<string | null> {
  let ofQueue: string | null = null;
  const asked: [string, () => Promise<unknown>][] = [
    ['Redis', async () => (ofQueue = await queueObstacle({ producer, queue }))],
    ['MongoDB', () => pingMongo(mongo, ANSWER_MS)],
    ['Elasticsearch', () => elasticsearch.ping()],
  ];
  for (const [store, ask] of asked) {
    try {
      await ask();
    } catch (error) {
      return `${store} cannot be reached: ${messageOf(error)}. The work waits until it can`;
    }
  }
  return ofQueue;
}

async function queueObstacle({
  producer,
  queue,
}: Pick<Archive, 'producer' | 'queue'>): Promise<string | null> {
  if ((await producer.workers()) === 0)
    return 'No indexer is connected to the queue: the work waits until one is';
  return (await queue.isPaused()) ? 'The queue is paused: resume it at /admin/queues' : null;
}
