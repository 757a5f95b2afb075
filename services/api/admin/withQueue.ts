import { AppError } from '../../../shared/contract/errors.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { Unavailable } from '../unavailable.js';

/** What an operation needs to file jobs. */
export interface QueueDeps {
  producer: Producer;
  /** How long the queue may take for an answer (ms). */
  callMs: number;
}

/** Asks the queue. Throws UNAVAILABLE when it fails or does not answer: without Redis there are no jobs. */
export async function withQueue<T>(
  { callMs }: Pick<QueueDeps, 'callMs'>,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await withTimeout(callMs, ask);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw queueAway(error);
  }
}

/**
 * Throws UNAVAILABLE where the queue does not answer, or takes no job. It is called before anything is recorded for a
 * job. Otherwise the caller would be told that the work cannot be done now, and it would be done later all the same.
 */
export async function requireQueue(deps: QueueDeps): Promise<void> {
  await withQueue(deps, () => deps.producer.tryStoring());
}

/** UNAVAILABLE, because the queue is away. */
export function queueAway(cause: unknown): Unavailable {
  return new Unavailable('The queue is not available now; try again soon', 2, cause);
}
