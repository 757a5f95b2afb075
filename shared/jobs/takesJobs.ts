import { withTimeout } from '../platform/withTimeout.js';
import type { Producer } from './producer.js';

/** How long (ms) Redis may take to answer. */
const ANSWER_MS = 1_000;

/** Whether the Redis of the queue answers and stores what it is given. Never rejects. */
export async function takesJobs(producer: Pick<Producer, 'tryStoring'>): Promise<boolean> {
  try {
    await withTimeout(ANSWER_MS, () => producer.tryStoring());
    return true;
  } catch {
    return false;
  }
}
