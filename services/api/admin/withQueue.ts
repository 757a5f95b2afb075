import { AppError } from '../../../shared/contract/errors.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { Unavailable } from '../unavailable.js';

/** What an operation needs to file jobs. */
export interface QueueDeps {
  producer: Producer;
  /** How long a call to the queue may take (ms). */
  callMs: number;
}

/** Calls the queue. Throws UNAVAILABLE where the call fails or takes too long. An AppError is thrown as it is. */
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
 * Throws UNAVAILABLE where the queue does not answer, or takes no jobs. It is called before any work is recorded in
 * MongoDB. Without this check, the caller would get an error, and the recorded work would be done later all the same.
 */
export async function requireQueue(deps: QueueDeps): Promise<void> {
  await withQueue(deps, () => deps.producer.tryStoring());
}

/** 503 UNAVAILABLE, because the queue is away. Only the log shows `cause`. */
export function queueAway(cause: unknown): Unavailable {
  return new Unavailable('The queue is not available now; try again soon', 2, cause);
}
