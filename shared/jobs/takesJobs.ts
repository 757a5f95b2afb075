import { withTimeout } from '../platform/withTimeout.js';
import type { Producer } from './producer.js';

/** How long (ms) Redis may take to answer. */
const ANSWER_MS = 1_000;

/** Whether the Redis of the queue answers and has room for another job. Never rejects. */
export async function takesJobs(producer: Pick<Producer, 'counts' | 'isFull'>): Promise<boolean> {
  try {
    const ask = () => Promise.all([producer.counts(), producer.isFull()]);
    const [, isFull] = await withTimeout(ANSWER_MS, ask);
    return !isFull;
  } catch {
    return false;
  }
}
