import { AppError } from '../../../shared/contract/errors.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { CALL_LIMIT_MS } from '../timeLimit.js';

/** Asks the queue. Throws UNAVAILABLE when it fails or does not answer: without Redis there are no jobs. */
export async function withQueue<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(CALL_LIMIT_MS, ask);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('UNAVAILABLE', 'The queue is not available now; try again soon', {
      headers: { 'Retry-After': '2' },
      cause: error,
    });
  }
}
