import { AppError } from '../../../shared/contract/errors.js';

/** Milliseconds that the queue may take to answer. */
const LIMIT = 3_000;

/** What the queue answers. Throws UNAVAILABLE when it fails or is silent: without Redis there are no jobs. */
export async function withQueue<T>(ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The queue did not answer')), LIMIT);
  });
  try {
    return await Promise.race([ask(), silence]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('UNAVAILABLE', 'The queue is not available now; try again soon', {
      headers: { 'Retry-After': '2' },
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}
