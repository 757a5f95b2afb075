/** Tells what is wrong with a Redis that answers questions, but refuses to store anything. */
export const REDIS_IS_FULL =
  'its memory is full, so it takes no more jobs: raise its maxmemory, or remove what else it holds';

/** Whether an error of Redis says that its memory is full. The error of a script has other words before that. */
export function isFullError(message: string): boolean {
  return /\bOOM command not allowed\b/.test(message);
}
