import { pingMongo } from '../../shared/platform/clients.js';
import type { Archive } from './openArchive.js';
import { messageOf } from './reachable.js';

/** Milliseconds that MongoDB has to answer. */
const ANSWER_MS = 5_000;

/** Which store cannot be reached, and why; null where all can. Never rejects. */
export async function findAway({
  elasticsearch,
  mongo,
  producer,
}: Pick<Archive, 'elasticsearch' | 'mongo' | 'producer'>): Promise<string | null> {
  const asked: [string, () => Promise<unknown>][] = [
    ['Redis', () => producer.workers()],
    ['MongoDB', () => pingMongo(mongo, ANSWER_MS)],
    ['Elasticsearch', () => elasticsearch.ping()],
  ];
  for (const [store, ask] of asked) {
    try {
      await ask();
    } catch (error) {
      return `${store} cannot be reached: ${messageOf(error)}`;
    }
  }
  return null;
}
