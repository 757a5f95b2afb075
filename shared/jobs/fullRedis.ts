/** Tells what is wrong with a Redis that answers questions, but refuses to store anything. */
export const REDIS_IS_FULL =
  'its memory is full, so it takes no more jobs: raise its maxmemory, or remove what else it holds';

/** Whether an error of Redis says that its memory is full. The error of a script has other words before that. */
export function isFullError(message: string): boolean {
  return /\bOOM command not allowed\b/.test(message);
}

/** Whether the answer to `INFO memory` says that the memory is full. Where `maxmemory` is 0, Redis has no limit. */
export function isFull(info: string): boolean {
  const limit = numberOf(info, 'maxmemory');
  return limit > 0 && numberOf(info, 'used_memory') >= limit;
}

function numberOf(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
